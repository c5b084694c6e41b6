// The API for plugins, imported as '#kernel/plugin'.

export { exampleOf } from './boot/error-catalogue.ts'
export { codecOf } from './codecs/codecs.ts'
export { callDeclared, callDeclaredList } from './compile/call-declared.ts'
export { BootError, bootWarnings, type NeedsPlugin } from './compile/plugin-checks.ts'
export { scalarNames } from './compile/scalar-names.ts'
export { defineResource } from './declare/define.ts'
export { acceptedForms } from './errors/accepted-forms.ts'
export { acceptedNames, didYouMean } from './errors/accepted-names.ts'
export * from './errors/core-errors.ts'
export * from './errors/errors.ts'
export * from './errors/faults.ts'
export { argumentFaults, formFaults, formText } from './errors/form-faults.ts'
export { StatementError, type StatementNames } from './errors/statement-error.ts'
export { type Awaitable, callEach, isThenable, type Optional } from './lib/awaitable.ts'
export { countCodePoints } from './lib/code-points.ts'
export { getOrCreate } from './lib/get-or-create.ts'
export { isObject } from './lib/is-object.ts'
export { escapePointer } from './lib/json-pointer.ts'
export { writeDocument } from './lib/json-text.ts'
export { type Link, type LinkObject, type Links, validLinks } from './lib/link.ts'
export { LruMap } from './lib/lru-map.ts'
export { parseAccept } from './lib/media-ranges.ts'
export { mediaType } from './lib/media-type.ts'
export { hasMoreParts } from './lib/value-size.ts'
export type * from './model/app.ts'
export type { AppConfig } from './model/app-config.ts'
export type { Builders } from './model/builders.ts'
export * from './model/condition.ts'
export {
  type Context,
  type DocumentBudget,
  type DocumentLimits,
  type Excess,
  originOf,
  unscoped,
} from './model/context.ts'
export { addNeeds, completeOrder, createQuery, emptyRelationQuery } from './model/create-query.ts'
export { maxTimerSeconds } from './model/deadline.ts'
export type { PropertyName, RecordOf, RelatedOf, ToManyName, ToOneName } from './model/entity-types.ts'
export type { Fact, FactsOf, NumberedPage, pageMembers, Ruled } from './model/facts.ts'
export {
  type ArgumentForms,
  type Attribute,
  type AttributeKind,
  childrenOf,
  type Field,
  isPolymorphic,
  type Modifier,
  type Relation,
  type Row,
  type Visibility,
} from './model/field.ts'
export { isObjectLiteral, scopeCondition } from './model/filter-to-condition.ts'
export type { Member } from './model/graph.ts'
export type { Hint } from './model/hint.ts'
export { developmentHints } from './model/hints.ts'
export { type RequestLimits, unlimited } from './model/limits.ts'
export type * from './model/logger.ts'
export { relationshipMissing } from './model/missing-relationship.ts'
export type { NumberModifiers, StringModifiers } from './model/modifiers.ts'
export type { Need } from './model/need.ts'
export { noPersister, noProvider } from './model/no-provider.ts'
export * from './model/operation.ts'
export type { StatementWriter, Writer } from './model/persister.ts'
export type * from './model/plugin.ts'
export { type Caller, denial, type Principal, requireRole } from './model/principal.ts'
export type { EntityShape, PropertyShape } from './model/provider.ts'
export type * from './model/query.ts'
export { isMap, type ParamMap, type ParamValue } from './model/query-parameters.ts'
export {
  type ApiRequest,
  type Exchange,
  type Media,
  type QueryContext,
  type Reply,
  showsResources,
} from './model/request.ts'
export {
  type DeclaredResource,
  declarationKeys,
  type Lookup,
  type Registry,
  type ResourceDeclaration,
  type ResourceType,
  wireId,
} from './model/resource-type.ts'
export type * from './model/response.ts'
export { isData, membersOf, ResponseError } from './model/response.ts'
export { applies } from './model/restrictions.ts'
export { chainEnd, keysetKey, pivotKey, versionKey, wholeRow } from './model/selection.ts'
export * from './model/server.ts'
export type * from './model/stages.ts'
export type { RowKeys, Statement, Store, StoreObserver, Unit } from './model/store.ts'
export type { ReceiveBody, ResourceMatch, Route, Shape, Target } from './model/target.ts'
export { addVary, markVariesByPrincipal } from './model/vary.ts'
export { hidingDeclaration, visibilityFor } from './model/visibility.ts'
export { changedRows } from './operations/changed-rows.ts'
export { withScopes } from './operations/context.ts'
export {
  authorizeOperations,
  dispatch,
  finishWrite,
  type Performed,
  perform,
  prepareDocument,
  toOperation,
} from './operations/dispatch.ts'
export { findParent, findSubject, notFound } from './operations/find.ts'
export { observe, runAfterCommit, runBeforeSave, runChecks } from './operations/hooks.ts'
export { checkInput, checkWrite } from './operations/input/check-input.ts'
export { isWritable, toChanges, writableInput } from './operations/input/hydrate.ts'
export { checkFound, findMembers, type NamedLinkage, toNamedLinkage } from './operations/input/linkage.ts'
export {
  identifiersOf,
  memberName,
  type NamedMember,
  namedMembers,
  toParent,
} from './operations/input/members.ts'
export { checkWritten, writtenOptions } from './operations/save/check-written.ts'
export { checkPreconditions } from './operations/save/preconditions.ts'
export { readBack } from './operations/save/read-back.ts'
export { type PreparedSave, prepareSave, savePrepared } from './operations/save/save-resource.ts'
export { type Outcome, transact } from './operations/transaction.ts'
export { currentLinkage } from './operations/update-relationship.ts'
export { kindOf } from './plan/operation-kind.ts'
export { addSteps, planOfOperation } from './plan/plans.ts'
export { writerOf } from './plan/writer.ts'
export { filterRows } from './read/filter-rows.ts'
export { isTaken } from './read/is-taken.ts'
export { countQuery, keyQuery } from './read/key-query.ts'
export { addRows, loadOne, loadRecords } from './read/load.ts'
export { loadRelations } from './read/load-relations.ts'
export { renderIdentifiers, renderMember } from './render/document.ts'
export { runOperation } from './request/pipeline.ts'
export { parseQueryString } from './request/query-string.ts'
export {
  addLogFields,
  currentContext,
  currentRequestId,
} from './request/request-context.ts'
export { matchResourcePath } from './request/router.ts'
export { createOperation, readInput } from './request/stages/create-operation.ts'
export { readQuery } from './request/stages/read-query.ts'
export { methodsOf, targetOf } from './request/stages/route.ts'
