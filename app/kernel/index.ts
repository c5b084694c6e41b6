// All that plugins and resources may import from the kernel.
export * from './app.ts'
export type { AppConfig } from './app-config.ts'
export { dispatchAll } from './batch.ts'
export { BootError, bootWarnings, type NeedsPlugin } from './boot-checks.ts'
export * from './condition.ts'
export * from './constant-header.ts'
export { type Context, type Origin, unscoped } from './context.ts'
export * from './core-errors.ts'
export type { Clock, Deadline } from './deadline.ts'
export * from './discovery.ts'
export type { Document } from './document.ts'
export type { DrainLimits } from './drain.ts'
export * from './error-catalogue.ts'
export * from './errors.ts'
export * from './exposure.ts'
export { Faults } from './faults.ts'
export type { Modifiers, Word } from './fields/builders.ts'
export { type Codec, codecOf, isObject } from './fields/codecs.ts'
export type * from './fields/definition.ts'
export { childrenOf, isOwnerSide, isPolymorphic } from './fields/definition.ts'
export { applies } from './fields/restrictions.ts'
export { slugify } from './fields/slugify.ts'
export type * from './fields/vocabulary.ts'
export { type Edge, Graph, type Member } from './graph.ts'
export { isHostChecked, isValidHost } from './host.ts'
export { escapePointer } from './input.ts'
export { type Instruction, LogicError } from './instruction.ts'
export { type RequestLimits, unlimited } from './limits.ts'
export { loadOne, loadRecords } from './load.ts'
export type { Logger } from './logger.ts'
export { isLoopback } from './loopback.ts'
export type { ResourceMatch } from './match.ts'
export { mediaType } from './media-type.ts'
export { memoryProvider } from './memory.ts'
export { memoryStore } from './memory-persister.ts'
export * from './openapi.ts'
export * from './operation.ts'
export { isWritable } from './operations/hydrate.ts'
export type { MemberWrite } from './operations/member-writes.ts'
export {
  countCurrentMembers,
  currentMembers,
  memberName,
  type NamedMember,
  namedMembers,
} from './operations/members.ts'
export { lidKey } from './operations/settle.ts'
export { answer } from './pipeline.ts'
export { isPlainObject, plainCondition } from './plain-filter.ts'
export type * from './plugin.ts'
export * from './principal.ts'
export type { Profile } from './profile.ts'
export * from './provider.ts'
export * from './query.ts'
export { checkLength } from './query-limits.ts'
export { isMap, type ParamMap, type ParamValue, parseQueryString, splitList } from './query-string.ts'
export type * from './queue.ts'
export type { Reading } from './reading.ts'
export type { DeclaredResource, Registry } from './registry.ts'
export { remember } from './remember.ts'
export * from './request.ts'
export * from './request-id.ts'
export * from './resource.ts'
export * from './response.ts'
export * from './route-names.ts'
export { scopeCondition } from './scope-condition.ts'
export {
  chainEnd,
  chainKey,
  chainTypes,
  linkKey,
  linkTypeKey,
  pivotColumnsOf,
  pivotKey,
  relationSelection,
  type Selection,
  selectionOf,
  selectNames,
  shownFields,
  wholeRow,
  withinKey,
} from './selection.ts'
export * from './server.ts'
export { createOperation } from './stages/create-operation.ts'
export { readQuery } from './stages/read-query.ts'
export { renderMember } from './stages/render.ts'
export { plainErrorResponse } from './stages/respond.ts'
export { methodsOf, targetOf } from './stages/route.ts'
export { kindOf } from './stages/select-operation.ts'
export type * from './target.ts'
export { isThenable } from './thenable.ts'
export { hasMoreParts } from './value-size.ts'
export { markVariesByPrincipal } from './vary.ts'
export { type Caller, type Visibility, visibilityFor, visibilityOf } from './visibility.ts'
export { isWatched } from './watching.ts'
