package builtin

import (
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/version"
)

func setVersion(c *genericapiserver.Config) {
	c.EffectiveVersion = version.NewEffectiveVersion(Version)
}
