package builtin

import (
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/compatibility"
)

func setVersion(c *genericapiserver.Config) {
	c.EffectiveVersion = compatibility.NewEffectiveVersionFromString(Version, "", "")
}
