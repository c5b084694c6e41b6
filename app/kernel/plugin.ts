// The contract of plugins, imported as '#kernel/plugin': what a feature adds, when its steps run, and what they receive.
// Errors are '#kernel/errors', conditions and pages '#kernel/queries', running operations '#kernel/operations'.

// Resource types, fields and modifiers.
export { codecOf } from './codecs/codecs.ts'
export { callDeclared, callDeclaredList } from './compile/call-declared.ts'
// A plugin, and the application that it is part of.
export { BootError } from './compile/plugin-checks.ts'
export { defineResource } from './declare/define.ts'
// Values and texts.
export { type Awaitable, callEach, isThenable } from './lib/awaitable.ts'
export { countCodePoints } from './lib/code-points.ts'
export { getOrCreate } from './lib/get-or-create.ts'
export { isObject } from './lib/is-object.ts'
export { escapePointer } from './lib/json-pointer.ts'
export { LruMap } from './lib/lru-map.ts'
export { parseAccept } from './lib/media-ranges.ts'
export { mediaType } from './lib/media-type.ts'
export { hasMoreParts } from './lib/value-size.ts'
export type { AddedMembers, App } from './model/app.ts'
export type { AppConfig } from './model/app-config.ts'
// Operations and their responses.
export type { Context } from './model/context.ts'
export { maxTimerSeconds } from './model/deadline.ts'
export type { EntityShape, PropertyShape } from './model/entity-shape.ts'
export type { PropertyName, RecordOf, RelatedOf, ToManyName, ToOneName } from './model/entity-types.ts'
export type { Fact, FactsOf, pageMembers, Ruled } from './model/facts.ts'
export {
  type ArgumentForms,
  type Attribute,
  type AttributeKind,
  type Field,
  isPolymorphic,
  listChildren,
  type Modifier,
  type Relation,
  type Row,
  type Visibility,
} from './model/field.ts'
export { hidingDeclaration } from './model/field-visibility.ts'
export type { Member } from './model/graph.ts'
export type { Hint } from './model/hint.ts'
export { developmentHints } from './model/hints.ts'
export type { Logger } from './model/logger.ts'
export type { NumberModifiers, StringModifiers } from './model/modifiers.ts'
export type { Need } from './model/need.ts'
export { noPersister, noProvider } from './model/no-provider.ts'
export {
  type Action,
  type Identifier,
  type Input,
  isRelationshipWrite,
  isWrite,
  type LinkageInput,
  type MemberWrite,
  type Operation,
  type OperationKind,
  type PlannedOperation,
  type Precondition,
  type RequestTransaction,
} from './model/operation.ts'
export { type DocumentBudget, type DocumentLimits, type Excess, requesterOf } from './model/operation-context.ts'
export type { Observer, Plugin, RequestPart, StepSource } from './model/plugin.ts'
// Requests and their callers.
export { type Caller, denial, type Principal, requireRole } from './model/principal.ts'
export type { Query } from './model/query.ts'
export type { ApiRequest, Exchange, QueryContext, Reply } from './model/request.ts'
export {
  type DeclaredResource,
  declarationKeys,
  type Lookup,
  type Registry,
  type ResourceType,
  wireId,
} from './model/resource-type.ts'
export {
  type ApiResponse,
  type DataResponse,
  type Document,
  type ErrorResponse,
  type IdentifierResponse,
  isData,
  listMembers,
} from './model/response.ts'
export { applies } from './model/restrictions.ts'
export type { Server, ServerOptions } from './model/server.ts'
export { buildRoutePath, hasRelatedEndpoint, hasRelationshipEndpoint } from './model/server.ts'
// Stages, and the functions that plugins add to them.
export type {
  LinksCheck,
  PlanBuilder,
  ResourceMeta,
  SubjectCheck,
  TypePlanBuilder,
  TypeStages,
  Validation,
} from './model/stages.ts'
export type { Statement, Store, StoreObserver, Unit } from './model/store.ts'
export type { ResourceMatch, Route, Target } from './model/target.ts'
export { addVary, markVariesByPrincipal } from './model/vary.ts'
export { addSteps } from './plan/plans.ts'
export { addLogFields, currentContext, currentRequestId } from './request/request-context.ts'
