package cel

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// object returns an object type with the given fields.
func object(name string, fields map[string]*apiservercel.DeclType) *apiservercel.DeclType {
	declared := make(map[string]*apiservercel.DeclField, len(fields))
	for name, t := range fields {
		declared[name] = apiservercel.NewDeclField(name, t, true, nil, nil)
	}
	return apiservercel.NewObjectType(name, declared)
}

func texts() *apiservercel.DeclType { return apiservercel.NewListType(apiservercel.StringType, -1) }

func mapTo(values *apiservercel.DeclType) *apiservercel.DeclType {
	return apiservercel.NewMapType(apiservercel.StringType, values, -1)
}

// requestType returns the type of the variable request (k8s.io/apiserver, admission/plugin/cel.BuildRequestType).
func requestType() *apiservercel.DeclType {
	text := apiservercel.StringType
	kind := object("kubernetes.GroupVersionKind",
		map[string]*apiservercel.DeclType{"group": text, "version": text, "kind": text})
	resource := object("kubernetes.GroupVersionResource",
		map[string]*apiservercel.DeclType{"group": text, "version": text, "resource": text})
	return object("kubernetes.AdmissionRequest", map[string]*apiservercel.DeclType{
		"kind": kind, "resource": resource, "subResource": text,
		"requestKind": kind, "requestResource": resource, "requestSubResource": text,
		"name": text, "namespace": text, "operation": text,
		"userInfo": object("kubernetes.UserInfo", map[string]*apiservercel.DeclType{
			"username": text, "uid": text, "groups": texts(), "extra": mapTo(texts()),
		}),
		"dryRun": apiservercel.BoolType, "options": apiservercel.DynType,
	})
}

// namespaceType returns the type of the variable namespaceObject (k8s.io/apiserver,
// admission/plugin/cel.BuildNamespaceType).
func namespaceType() *apiservercel.DeclType {
	text, time := apiservercel.StringType, apiservercel.TimestampType
	condition := object("kubernetes.NamespaceCondition", map[string]*apiservercel.DeclType{
		"status": text, "type": text, "lastTransitionTime": time, "message": text, "reason": text,
	})
	return object("kubernetes.Namespace", map[string]*apiservercel.DeclType{
		"metadata": object("kubernetes.NamespaceMetadata", map[string]*apiservercel.DeclType{
			"name": text, "generateName": text, "namespace": text, "labels": mapTo(text), "annotations": mapTo(text),
			"UID":               text,
			"creationTimestamp": time, "deletionGracePeriodSeconds": apiservercel.IntType, "deletionTimestamp": time,
			"generation": apiservercel.IntType, "resourceVersion": text, "finalizers": texts(),
		}),
		"spec": object("kubernetes.NamespaceSpec", map[string]*apiservercel.DeclType{"finalizers": texts()}),
		"status": object("kubernetes.NamespaceStatus", map[string]*apiservercel.DeclType{
			"conditions": apiservercel.NewListType(condition, -1), "phase": text,
		}),
	})
}

// These are limits of the devices of a ResourceSlice (k8s.io/api, resource/v1).
const (
	mostDeviceFields  = 32 // ResourceSliceMaxAttributesAndCapacitiesPerDevice
	longestDomain     = 63 // DeviceMaxDomainLength
	longestID         = 32 // DeviceMaxIDLength
	longestDriver     = 63 // DriverNameMaxLength
	longestDeviceText = 64 // DeviceAttributeMaxValueLength
)

// deviceType returns the type of the variable device of a device selector (k8s.io/dynamic-resource-allocation,
// cel.newCompiler).
func deviceType() *apiservercel.DeclType {
	text := apiservercel.StringType
	byDomain := func(values *apiservercel.DeclType) *apiservercel.DeclType {
		inner := apiservercel.NewMapType(atMostElements(text, longestID), values, mostDeviceFields)
		return apiservercel.NewMapType(atMostElements(text, longestDomain), inner, mostDeviceFields)
	}
	return object("kubernetes.DRADevice", map[string]*apiservercel.DeclType{
		"driver":                   atMostElements(text, longestDriver),
		"allowMultipleAllocations": atMostElements(apiservercel.BoolType, 1),
		"attributes":               byDomain(atMostElements(apiservercel.AnyType, longestDeviceText)),
		"capacity":                 byDomain(apiservercel.QuantityDeclType),
	})
}

// atMostElements returns a copy of a type with a maximum size.
func atMostElements(t *apiservercel.DeclType, most int64) *apiservercel.DeclType {
	sized := *t
	sized.MaxElements = most
	return &sized
}

// deviceSizes estimates the sizes of the parts of a device (k8s.io/dynamic-resource-allocation, cel.sizeEstimator).
type deviceSizes struct{ device *apiservercel.DeclType }

// EstimateSize returns nil for an expression that is not a part of a device.
func (s deviceSizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	path := element.Path()
	if len(path) == 0 || path[0] != "device" {
		return nil
	}
	t := s.device
	for _, name := range path[1:] {
		field, isField := t.Fields[name]
		switch {
		case name == "@items" || name == "@values":
			t = t.ElemType
		case name == "@keys":
			t = t.KeyType
		case isField:
			t = field.Type
		case t.ElemType != nil && t.ElemType.MaxElements == longestDeviceText:
			t = t.ElemType // an attribute, whose name says nothing about its size
		default:
			return nil
		}
		if t == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(t.MaxElements)}
}

// EstimateCallCost leaves the estimate to the libraries.
func (s deviceSizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// declOf converts the type of an expression to that of a variable with its value (k8s.io/apiserver,
// admission/plugin/cel.convertCelTypeToDeclType).
func declOf(t *cel.Type) *apiservercel.DeclType {
	if simple, ok := simpleDecls[t]; ok {
		return simple
	}
	if t.HasTrait(traits.ContainerType) && t.HasTrait(traits.IndexerType) {
		switch parameters := t.Parameters(); len(parameters) {
		case 1:
			return apiservercel.NewListType(declOf(parameters[0]), -1)
		case 2:
			return apiservercel.NewMapType(declOf(parameters[0]), declOf(parameters[1]), -1)
		}
	}
	return apiservercel.DynType
}

var simpleDecls = map[*cel.Type]*apiservercel.DeclType{
	cel.AnyType: apiservercel.AnyType, cel.BoolType: apiservercel.BoolType, cel.BytesType: apiservercel.BytesType,
	cel.DoubleType: apiservercel.DoubleType, cel.DurationType: apiservercel.DurationType,
	cel.IntType: apiservercel.IntType, cel.NullType: apiservercel.NullType, cel.StringType: apiservercel.StringType,
	cel.TimestampType: apiservercel.TimestampType, cel.UintType: apiservercel.UintType,
}
