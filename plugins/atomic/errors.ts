import { type ApiError, acceptedNames, defineError, type Phrase, phrase } from '#kernel/errors'

const atomicOperationsInvalid = defineError(
  'ATOMIC_OPERATIONS_INVALID',
  400,
  'Atomic operations request is invalid',
  'The batch cannot be read: {reason}',
  {
    when: 'A batch is not a list of operations, has too many of them, or one of them does not have the form that the extension defines.',
    example: { reason: 'atomic:operations is missing.' },
    source: { pointer: '/atomic:operations' },
  },
)
export const atomicHrefUnresolvable = defineError(
  'ATOMIC_HREF_UNRESOLVABLE',
  400,
  'Atomic operation href is unresolvable',
  "The href is not a URL of this server that the operation '{op}' accepts. Accepted: {accepted}.",
  {
    when: 'The `href` of an operation is not a URL of this server, or a URL that the operation does not accept.',
    example: { op: 'update', accepted: 'the URL of a resource or of a relationship' },
    source: { pointer: '/atomic:operations/0/href' },
  },
)
export const atomicTargetTypeUnknown = defineError(
  'ATOMIC_TARGET_TYPE_UNKNOWN',
  404,
  'Atomic operation target type is unknown',
  "There is no resource type '{type}' here. Types: {accepted}",
  {
    when: 'The target of an operation has a type this server does not offer.',
    example: { type: 'album', accepted: "albums, artists. Did you mean 'albums'?" },
    source: { pointer: '/atomic:operations/0' },
  },
)
export const atomicOperationNotExposed = defineError(
  'ATOMIC_OPERATION_NOT_EXPOSED',
  403,
  'Atomic operation is not exposed',
  "Resources of type '{type}' do not accept the operation '{op}' on a {target}.",
  {
    when: 'The type does not offer the operation: the same request outside of a batch would be refused.',
    example: { type: 'countries', op: 'add', target: 'collection' },
    source: { pointer: '/atomic:operations/0' },
  },
)
export const atomicOperationsNotSupported = defineError(
  'ATOMIC_OPERATIONS_NOT_SUPPORTED',
  403,
  'Atomic operations not supported',
  "Resources of type '{type}' are written one by one, because their writes cannot be undone.",
  {
    when: 'The type of an operation is not kept in the database, so that a write of it could not be undone.',
    example: { type: 'charts' },
    source: { pointer: '/atomic:operations/0' },
  },
)
export const atomicOperationsUnavailable = defineError(
  'ATOMIC_OPERATIONS_UNAVAILABLE',
  500,
  'Atomic operations unavailable',
  'A batch cannot be rolled back: the application stores its resources without transactions.',
  { when: 'The application stores its resources without transactions.' },
)
export const asyncWriteInAtomicOperation = defineError(
  'ASYNC_WRITE_IN_ATOMIC_OPERATION',
  422,
  'Async write not allowed in atomic operation',
  "Resources of type '{type}' are written asynchronously, which a batch does not support; send a request of its own.",
  {
    when: 'An operation of a batch creates or updates a resource whose write is only accepted, to be done later.',
    example: { type: 'catalog-exports' },
    source: { pointer: '/atomic:operations/0' },
  },
)
export const localIdConflict = defineError(
  'LOCAL_ID_CONFLICT',
  400,
  'Local id conflict',
  "The local id '{lid}' of type '{type}' is used by two operations.",
  {
    when: 'Two operations of a batch give the same local id to new resources of one type.',
    example: { type: 'artists', lid: 'a' },
    source: { pointer: '/atomic:operations/1' },
  },
)

/** Without a pointer the error belongs to the whole operation. */
export function invalid(reason: string | Phrase, pointer?: string): ApiError {
  const text = typeof reason === 'string' ? phrase(reason) : reason
  return atomicOperationsInvalid(
    { reason: phrase('{reason}.', { reason: text }) },
    pointer === undefined ? {} : { source: { pointer } },
  )
}

export function unknownOp(ops: readonly string[], sent: unknown): ApiError {
  const accepted = acceptedNames(ops, ...(typeof sent === 'string' ? [sent] : []))
  return atomicOperationsInvalid({ reason: phrase('the op is one of {accepted}', { accepted }) })
}

export const localIdNotFound = defineError(
  'LOCAL_ID_NOT_FOUND',
  400,
  'Local id not found',
  "No earlier operation created a resource of type '{type}' with the local id '{lid}'.",
  {
    when: 'An operation of a batch refers to a `lid` that no earlier operation has created.',
    example: { type: 'artists', lid: 'artist-1' },
    source: { pointer: '/atomic:operations/0' },
  },
)

/** The errors that the plugin adds to the catalogue. */
export const batchErrors = [
  localIdNotFound,
  atomicOperationsInvalid,
  atomicHrefUnresolvable,
  atomicTargetTypeUnknown,
  atomicOperationNotExposed,
  atomicOperationsNotSupported,
  atomicOperationsUnavailable,
  asyncWriteInAtomicOperation,
  localIdConflict,
]
