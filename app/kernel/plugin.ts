// The contract of plugins, imported as '#kernel/plugin': what a feature adds, when its steps run, and what they receive.
// Errors are '#kernel/errors', conditions and pages '#kernel/queries', running operations '#kernel/operations'.

// A plugin, and the application that it is part of.

export { BootError } from './compile/plugin-checks.ts'
export { type AddedMembers, type App, developmentHints, type Hint } from './contract/app.ts'
export type { AppConfig } from './contract/app-config.ts'
export { maxTimerSeconds } from './contract/deadline.ts'
export type { Need, Observer, Plugin, RequestPart, StepSource } from './contract/plugin.ts'
export {
  buildRoutePath,
  hasRelatedEndpoint,
  hasRelationshipEndpoint,
  type Server,
  type ServerOptions,
} from './contract/server.ts'
export type { Statement, Store, StoreObserver } from './data/store.ts'
export type { Logger } from './lib/logger.ts'

// Stages, and the steps that plugins add to them.

export type {
  LinksCheck,
  PlanBuilder,
  ResourceMeta,
  SubjectCheck,
  TypePlanBuilder,
  TypeStages,
  Validation,
} from './contract/stages.ts'
export { addSteps } from './plan/create-plan.ts'

// Requests and requesters.

export { requesterOf } from './contract/operation-context.ts'
export type { ApiRequest, Exchange, QueryContext, Reply } from './contract/request.ts'
export type { RequestState } from './contract/request-state.ts'
export type { ResourceMatch, Route, Target } from './contract/target.ts'
export { parseAccept } from './lib/media-ranges.ts'
export { mediaType } from './lib/media-type.ts'
export { addVary, markVariesByPrincipal } from './lib/vary.ts'
export { addLogFields, currentContext, currentRequestId, runInRequest } from './request/request-context.ts'
export { type Caller, denial, type Principal, requireRole } from './schema/principal.ts'

// Operations and their responses.

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
} from './contract/operation.ts'
export type { DocumentBudget, DocumentLimits, Excess } from './contract/operation-context.ts'
export {
  type ApiResponse,
  type DataResponse,
  type Document,
  type ErrorResponse,
  type IdentifierResponse,
  isData,
  listMembers,
} from './contract/response.ts'
export type { Context } from './data/context.ts'
export type { Member } from './data/graph.ts'
export type { Query } from './data/query.ts'
export type { Unit } from './data/store.ts'

// Resource types, fields and modifiers.

export { codecOf } from './codecs/codecs.ts'
export { callDeclared, callDeclaredList } from './compile/call-declared.ts'
export { defineResource } from './declare/define.ts'
export type { EntityShape, PropertyShape } from './schema/entity-shape.ts'
export type { PropertyName, RecordOf, RelatedOf, ToManyName, ToOneName } from './schema/entity-types.ts'
export type { Fact, FactsOf, pageMembers, Ruled } from './schema/facts.ts'
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
} from './schema/field.ts'
export { hidingDeclaration } from './schema/field-visibility.ts'
export type { NumberModifiers, StringModifiers } from './schema/modifiers.ts'
export {
  type DeclaredResource,
  declarationKeys,
  type Lookup,
  type Registry,
  type ResourceType,
  wireId,
} from './schema/resource-type.ts'
export { applies } from './schema/restrictions.ts'

// Values and texts.

export { type Awaitable, callEach, isThenable } from './lib/awaitable.ts'
export { countCodePoints } from './lib/code-points.ts'
export { getOrCreate } from './lib/get-or-create.ts'
export { isObject } from './lib/is-object.ts'
export { escapePointer } from './lib/json-pointer.ts'
export { LruMap } from './lib/lru-map.ts'
export { hasMoreParts } from './lib/value-size.ts'
