package oracle

import (
	"fmt"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/test/parity"
)

// EventVerdict returns the verdict on creating an Event of events.k8s.io/v1, which is a built-in type upstream. It
// decodes the Go type and then applies the rules of k8s.io/kubernetes, pkg/apis/core/validation/events.go,
// ValidateEventCreate. Fields have the names of events.k8s.io/v1, whereas the server's causes use those of core/v1.
func EventVerdict(r parity.Request) parity.Verdict {
	body := []byte(r.New)
	if !r.JSON {
		var err error
		if body, err = yaml.YAMLToJSONStrict(body); err != nil {
			return refused("decode")
		}
	}
	e := &eventsv1.Event{}
	strict, err := kjson.UnmarshalStrict(body, e)
	switch {
	case err != nil:
		return refused("decode")
	case len(strict) > 0:
		return refused("strict")
	}
	if e.Namespace == "" {
		e.Namespace = metav1.NamespaceDefault
	}
	causes := eventErrors(e)
	if len(causes) == 0 {
		return parity.Verdict{Accepted: true}
	}
	v := parity.Verdict{Stage: "validation"}
	for _, c := range causes {
		v.Causes = append(v.Causes, parity.Cause{Field: c.Field, Reason: string(c.Type), Message: c.ErrorBody()})
	}
	return v
}

func eventErrors(e *eventsv1.Event) field.ErrorList {
	var errs field.ErrorList
	wrong := func(name, why string) { errs = append(errs, field.Invalid(field.NewPath(name), "", why)) }
	if e.EventTime.IsZero() {
		errs = append(errs, field.Required(field.NewPath("eventTime"), ""))
		if e.Regarding.Namespace != e.Namespace && (e.Regarding.Namespace != "" || e.Namespace != metav1.NamespaceDefault) {
			wrong("regarding.namespace", "does not match event.namespace")
		}
	} else {
		errs = append(errs, namedEventErrors(e)...)
	}
	errs = append(errs,
		apivalidation.ValidateObjectMeta(&e.ObjectMeta, true, apivalidation.NameIsDNSSubdomain,
			field.NewPath("metadata"))...)
	if e.Type != "Normal" && e.Type != "Warning" {
		wrong("type", fmt.Sprintf("has invalid value: %v", e.Type))
	}
	if s := e.Series; s != nil {
		if s.Count < 2 {
			wrong("series.count", "should be at least 2")
		}
		if s.LastObservedTime.Time.Equal(time.Time{}) {
			errs = append(errs, field.Required(field.NewPath("series.lastObservedTime"), ""))
		}
	}
	for _, d := range []struct {
		name string
		set  bool
	}{
		{"deprecatedFirstTimestamp", !e.DeprecatedFirstTimestamp.IsZero()},
		{"deprecatedLastTimestamp", !e.DeprecatedLastTimestamp.IsZero()},
		{"deprecatedCount", e.DeprecatedCount != 0},
		{"deprecatedSource", e.DeprecatedSource.Component != "" || e.DeprecatedSource.Host != ""},
	} {
		if d.set {
			wrong(d.name, "needs to be unset")
		}
	}
	return errs
}

// namedEventErrors checks the rules that apply only to an event with an eventTime. Lengths are in bytes.
func namedEventErrors(e *eventsv1.Event) field.ErrorList {
	var errs field.ErrorList
	if e.Regarding.Namespace == "" && e.Namespace != metav1.NamespaceDefault && e.Namespace != metav1.NamespaceSystem {
		errs = append(errs, field.Invalid(field.NewPath("regarding.namespace"), "", "does not match event.namespace"))
	}
	for _, message := range validation.IsQualifiedName(e.ReportingController) {
		errs = append(errs, field.Invalid(field.NewPath("reportingController"), e.ReportingController, message))
	}
	for _, text := range []struct {
		name, value string
		required    bool
		most        int
	}{
		{"reportingController", e.ReportingController, true, 0},
		{"reportingInstance", e.ReportingInstance, true, 128},
		{"action", e.Action, true, 128},
		{"reason", e.Reason, true, 128},
		{"note", e.Note, false, 1024},
	} {
		if text.required && text.value == "" {
			errs = append(errs, field.Required(field.NewPath(text.name), ""))
		}
		if text.most > 0 && len(text.value) > text.most {
			errs = append(errs,
				field.Invalid(field.NewPath(text.name), "", fmt.Sprintf("can have at most %d characters", text.most)))
		}
	}
	return errs
}
