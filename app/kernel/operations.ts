// Running operations, imported as '#kernel/operations': for plugins with operations of their own (actions, batches), for
// programs, and for commands that print plans.

// From a URL and a body to an operation.

export { type RequestLimits, unlimited } from './contract/limits.ts'
export type { SentMeta } from './contract/operation.ts'
export type { ReceiveBody } from './contract/target.ts'
export { visibilityFor } from './contract/visibility.ts'
export { toOperation } from './operations/dispatch.ts'
export { toOperationKind } from './plan/operation-kind.ts'
export { parseQueryString } from './request/query-string.ts'
export { matchResourcePath } from './request/router.ts'
export { createOperation, readInput } from './request/stages/create-operation.ts'
export { readQuery } from './request/stages/read-query.ts'
export { listMethods, toTarget } from './request/stages/route.ts'
export type { EntityClass } from './schema/entity-types.ts'
export type { Shape } from './schema/url-shape.ts'

// Running an operation.

export { hasSubject } from './contract/operation.ts'
export { ResponseError } from './contract/response.ts'
export { withScopes } from './operations/context.ts'
export {
  authorizeOperations,
  dispatch,
  finishWrite,
  type Performed,
  perform,
  prepareDocument,
} from './operations/dispatch.ts'
export { findParent, findSubject, notFound } from './operations/find.ts'
export { observe, runAfterCommit, runBeforeSave, runChecks } from './operations/hooks.ts'
export { type Outcome, writeInTransaction } from './operations/run-writes.ts'
export { planOperation } from './plan/create-plan.ts'
export { runOperation } from './request/pipeline.ts'

// The input of a write.

export { linkageModeOf } from './contract/operation.ts'
export { noPersister, noProvider } from './data/no-provider.ts'
export type { LinkageMode } from './data/persister.ts'
export { checkInput, checkWrite } from './operations/input/check-input.ts'
export { isWritable, toChanges, writableInput } from './operations/input/hydrate.ts'
export { checkFound, findMembers, type NamedLinkage, toNamedLinkage } from './operations/input/linkage.ts'
export { listIdentifiers, memberName, type NamedMember, namedMembers, toParent } from './operations/input/members.ts'
export { checkPreconditions } from './operations/save/preconditions.ts'
export { currentLinkage } from './operations/update-relationship.ts'

// Saving rows, and the response.

export type { CreatedIds } from './contract/operation.ts'
export type { StatementWriter } from './data/persister.ts'
export { writeDocument } from './lib/json-text.ts'
export { validLinks } from './lib/link.ts'
export { changedRows } from './operations/changed-rows.ts'
export { resolveLocation } from './operations/resolve-location.ts'
export { checkWritten, writtenOptions } from './operations/save/check-written.ts'
export { readBack } from './operations/save/read-back.ts'
export { type PreparedSave, prepareSave, savePrepared } from './operations/save/save-resource.ts'
export { findWriter } from './plan/writer.ts'
export { addRows } from './read/load.ts'
export { renderIdentifiers, renderMember } from './render/document.ts'
