// The API for plugins, imported as '#kernel/plugin'.

export { exampleOf } from './boot/error-catalogue.ts'
export { codecOf } from './codecs/codecs.ts'
export { BootError, bootWarnings, type NeedsPlugin } from './compile/plugin-checks.ts'
export { defineResource } from './declare/define.ts'
export { acceptedNames } from './errors/accepted-names.ts'
export * from './errors/core-errors.ts'
export * from './errors/error-text.ts'
export * from './errors/errors.ts'
export * from './errors/faults.ts'
export * from './errors/query-limits.ts'
export { type Awaitable, isThenable } from './lib/awaitable.ts'
export { getOrCreate } from './lib/get-or-create.ts'
export { isObject } from './lib/is-object.ts'
export { escapePointer } from './lib/json-pointer.ts'
export { loggedStatus } from './lib/logged-status.ts'
export { isLoopback } from './lib/loopback.ts'
export { LruMap } from './lib/lru-map.ts'
export { mediaType } from './lib/media-type.ts'
export { hasMoreParts } from './lib/value-size.ts'
export type * from './model/app.ts'
export type * from './model/app-config.ts'
export type * from './model/builders.ts'
export * from './model/condition.ts'
export { type Context, originOf, unscoped } from './model/context.ts'
export type * from './model/entity-types.ts'
export * from './model/exposure.ts'
export type * from './model/facts.ts'
export {
  type Attribute,
  type AttributeKind,
  type Field,
  isPolymorphic,
  type Modifier,
  type Relation,
  type Row,
} from './model/field.ts'
export { isObjectLiteral, scopeCondition } from './model/filter-to-condition.ts'
export type { Member } from './model/graph.ts'
export type { Hint } from './model/hint.ts'
export { developmentHints } from './model/hints.ts'
export { type RequestLimits, unlimited } from './model/limits.ts'
export type * from './model/logger.ts'
export { relationshipMissing } from './model/missing-relationship.ts'
export type * from './model/modifiers.ts'
export type { Need } from './model/need.ts'
export { noPersister, noProvider } from './model/no-provider.ts'
export type { Instruction } from './model/operation.ts'
export * from './model/operation.ts'
export type * from './model/plugin.ts'
export { type Caller, denial, type Principal, requireRole } from './model/principal.ts'
export type { EntityShape, PropertyShape } from './model/provider.ts'
export type * from './model/query.ts'
export { addNeeds, completeOrder, createQuery, showsResources } from './model/query.ts'
export { isMap, type ParamMap, type ParamValue, splitList } from './model/query-parameters.ts'
export type * from './model/request.ts'
export type { ApiRequest } from './model/request.ts'
export {
  type DeclaredResource,
  declarationKeys,
  type Lookup,
  type Registry,
  type ResourceType,
  wireId,
} from './model/resource-type.ts'
export type * from './model/response.ts'
export {
  AcceptedInBatch,
  type ApiResponse,
  type DataResponse,
  type ErrorResponse,
  isData,
  membersOf,
} from './model/response.ts'
export { applies } from './model/restrictions.ts'
export { versionKey, wholeRow } from './model/selection.ts'
export * from './model/server.ts'
export type { Stage } from './model/stage.ts'
export type {
  Job,
  JobHeaders,
  ObservedJob,
  Statement,
  StatementOutcome,
  Store,
  StoreObserver,
  Worker,
} from './model/store.ts'
export type { JsonApiRoute, ResourceMatch, Route, Target } from './model/target.ts'
export { addVary, markVariesByPrincipal } from './model/vary.ts'
export type { Visibility } from './model/visibility.ts'
export { dispatchAll } from './operations/batch/batch.ts'
export { lidKey } from './operations/batch/local-ids.ts'
export { withScopes } from './operations/context.ts'
export { toOperation } from './operations/dispatch.ts'
export { findParent, findSubject } from './operations/find.ts'
export { runBeforeAction, runBeforeSave, runSubjectLoaded } from './operations/hooks.ts'
export { isWritable } from './operations/input/hydrate.ts'
export { createInputObject } from './operations/input/input-object.ts'
export {
  countCurrentMembers,
  currentMembers,
  memberName,
  type NamedMember,
  namedMembers,
} from './operations/input/members.ts'
export { checkIfWritten } from './operations/save/check-written.ts'
export { checkPreconditions } from './operations/save/preconditions.ts'
export { readBack } from './operations/save/read-back.ts'
export { currentLinkage } from './operations/update-relationship.ts'
export { filterRows } from './read/filter-rows.ts'
export { isTaken } from './read/is-taken.ts'
export { loadOne, loadRecords } from './read/load.ts'
export { loadRelations } from './read/load-relations.ts'
export { renderIdentifiers, renderMember } from './render/document.ts'
export { isHostChecked, isValidHost } from './request/host.ts'
export { LogicError } from './request/instruction.ts'
export { runOperation } from './request/pipeline.ts'
export { parseQueryString } from './request/query-string.ts'
export { currentContext, currentRequestId, isUnlogged, markUnlogged, setRequestId } from './request/request-context.ts'
export { namedRoutes, routeName, routeNameOf } from './request/route-names.ts'
export { matchResourcePath } from './request/router.ts'
export { createOperation, readInput } from './request/stages/create-operation.ts'
export { readQuery } from './request/stages/read-query.ts'
export { methodsOf, targetOf } from './request/stages/route.ts'
export { kindOf } from './request/stages/select-operation.ts'
