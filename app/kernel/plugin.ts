// Door 2: what authors of plugins import, as '#kernel/plugin'.
export { exampleOf } from './boot/error-catalogue.ts'
export { codecOf } from './codecs/codecs.ts'
export { BootError, bootWarnings, type NeedsPlugin } from './compile/plugin-checks.ts'
export {
  additionProhibited,
  asyncWriteInAtomicOperation,
  attributeValueInvalid,
  clientGeneratedIdAlreadyExists,
  clientGeneratedIdNotSupported,
  clientGeneratedIdRequired,
  conflict,
  dataMemberMissing,
  documentTooLarge,
  fullReplacementProhibited,
  linkageTooLarge,
  localIdNotFound,
  localIdNotSupported,
  mediaTypeUnacceptable,
  mediaTypeUnsupported,
  queryParamMalformed,
  queryParamUnrecognized,
  queryTooLarge,
  relatedAttributeOwnerMissing,
  relationshipNotExists,
  relationshipTypeInappropriate,
  removalProhibited,
  requestBodyInvalidJson,
  requestBodyInvalidJsonApi,
  requiredTopLevelMembersMissing,
  resourceIdConflict,
  resourceIdentifierIdInvalid,
  resourceIdentifierIdMissing,
  resourceIdentifierLidInvalid,
  resourceIdentifierTypeInvalid,
  resourceIdentifierTypeMissing,
  resourceIdInvalid,
  resourceIdMissing,
  resourceIdUndecodable,
  resourceNotFound,
  resourceTypeMissing,
  resourceTypeUnacceptable,
  topLevelMemberNotAllowed,
  topLevelMembersIncompatible,
  validationFailed,
} from './errors/core-errors.ts'
export {
  type ErrorContext,
  type ErrorValue,
  isNames,
  nameList,
  type Phrase,
  phrase,
  shortenEchoes,
  verbatim,
} from './errors/error-text.ts'
export {
  ApiError,
  ApiErrors,
  apiErrorsOf,
  defineError,
  type ErrorDefinition,
  type ErrorFactory,
  type ErrorObject,
  type ErrorSource,
  type ErrorWords,
  statusOf,
  truncationOf,
} from './errors/errors.ts'
export { Faults } from './errors/faults.ts'
export { checkLength } from './errors/query-limits.ts'
export { type Awaitable, isThenable } from './lib/awaitable.ts'
export { getOrCreate } from './lib/get-or-create.ts'
export { isObject } from './lib/is-object.ts'
export { escapePointer } from './lib/json-pointer.ts'
export { isLoopback } from './lib/loopback.ts'
export { mediaType } from './lib/media-type.ts'
export { hasMoreParts } from './lib/value-size.ts'
export type { App } from './model/app.ts'
export type { AppConfig } from './model/app-config.ts'
export {
  all,
  any,
  type Comparison,
  type Condition,
  type ConditionVisitor,
  compare,
  exists,
  isIn,
  isNull,
  native,
  never,
  not,
  ofPivot,
  textMatch,
  visitCondition,
} from './model/condition.ts'
export { type ConstantHeader, constantHeader, setConstant } from './model/constant-header.ts'
export { type Context, unscoped } from './model/context.ts'
export type { Document } from './model/document.ts'
export type { Exchange } from './model/exchange.ts'
export {
  always,
  defaultSortFor,
  type Exposure,
  exposureOf,
  exposureOfField,
  exposureOfTerms,
  hidingWord,
  hidingWordWithin,
  type IsExposed,
} from './model/exposure.ts'
export {
  type Attribute,
  type AttributeKind,
  type Field,
  isPolymorphic,
  type Relation,
  type Row,
} from './model/field.ts'
export type {
  Builders,
  NumberWords,
  PropertyName,
  RecordOf,
  RelatedOf,
  StringWords,
  ToManyName,
  ToOneName,
} from './model/field-words.ts'
export { isPlainObject } from './model/filter-to-condition.ts'
export type { Member } from './model/graph.ts'
export type { Instruction } from './model/instruction.ts'
export { type RequestLimits, unlimited } from './model/limits.ts'
export type { Logger } from './model/logger.ts'
export type { ResourceMatch } from './model/match.ts'
export type { Word } from './model/modifiers.ts'
export {
  type ComponentSection,
  type DescribedAttribute,
  type DescribedDocument,
  type DescribedFailure,
  type DescribedLinkage,
  type DescribedOperation,
  type DescribedRelationship,
  type DescribedSuccess,
  type Header,
  listParameter,
  type OpenApiDraft,
  type Parameter,
  type Schema,
} from './model/openapi.ts'
export {
  type Handler,
  type Identifier,
  isRelationshipWrite,
  isWrite,
  type LinkageInput,
  type LinkageMode,
  linkageModeOf,
  type MemberWrite,
  type Operation,
  type OperationDraft,
  type OperationKind,
} from './model/operation.ts'
export type { Plugin, RelationLoad, Reply, Route, TypeHook } from './model/plugin.ts'
export { denial, type Principal, requireRole } from './model/principal.ts'
export type { Profile } from './model/profile.ts'
export type { EntityShape, PropertyShape, Store } from './model/provider.ts'
export {
  addNeeds,
  completeOrder,
  createQuery,
  type Include,
  type IncludeNode,
  type Keyset,
  type Page,
  type PageDescription,
  type PageLink,
  type PageParams,
  type PageView,
  type Paginator,
  type Query,
  type RelatedQuery,
  type SortTerm,
  type Window,
} from './model/query.ts'
export type { QueryContext } from './model/query-context.ts'
export { isMap, type ParamMap, type ParamValue, splitList } from './model/query-parameters.ts'
export type { Job, Worker } from './model/queue.ts'
export type { DeclaredResource, Registry } from './model/registry.ts'
export type { ApiRequest } from './model/request.ts'
export { declarationKeys, type Lookup, type ResourceType, wireId } from './model/resource-type.ts'
export { type ApiResponse, type DataResponse, type ErrorResponse, isData, membersOf } from './model/response.ts'
export { applies } from './model/restrictions.ts'
export { scopeCondition } from './model/scope-condition.ts'
export { wholeRow } from './model/selection.ts'
export {
  hasRelatedEndpoint,
  hasRelationshipEndpoint,
  pathOf,
  type Server,
  type ServerOptions,
  servesTarget,
} from './model/server.ts'
export type { Target } from './model/target.ts'
export { markVariesByPrincipal } from './model/vary.ts'
export type { Visibility } from './model/visibility.ts'
export { dispatchAll } from './operations/batch/batch.ts'
export { lidKey } from './operations/batch/local-ids.ts'
export { isWritable } from './operations/input/hydrate.ts'
export {
  countCurrentMembers,
  currentMembers,
  memberName,
  type NamedMember,
  namedMembers,
} from './operations/input/members.ts'
export { loadOne, loadRecords } from './read/load.ts'
export { loadRelations } from './read/load-relations.ts'
export { renderMember } from './render/document.ts'
export { isHostChecked, isValidHost } from './request/host.ts'
export { LogicError } from './request/instruction.ts'
export { answer } from './request/pipeline.ts'
export { parseQueryString } from './request/query-string.ts'
export { currentRequestId, identified, isUnlogged, markUnlogged } from './request/request-id.ts'
export { namedRoutes, routeName, routeNameOf } from './request/route-names.ts'
export { createOperation } from './request/stages/create-operation.ts'
export { readQuery } from './request/stages/read-query.ts'
export { methodsOf, targetOf } from './request/stages/route.ts'
export { kindOf } from './request/stages/select-operation.ts'
