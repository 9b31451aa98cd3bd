package builtin

import (
	"strings"

	"k8s.io/apimachinery/pkg/version"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

func setVersion(c *genericapiserver.Config) {
	numbers := strings.Split(Version, ".")
	c.Version = &version.Info{Major: numbers[0], Minor: numbers[1], GitVersion: "v" + Version}
}
