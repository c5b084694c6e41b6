import { phrase } from '#kernel/errors'
import type { SentMeta } from '#kernel/operations'
import { createOperation, listMethods, planOperation, toOperationKind, toTarget } from '#kernel/operations'
import {
  type ApiRequest,
  isObject,
  type OperationKind,
  type PlannedOperation,
  type Query,
  type ResourceMatch,
  requesterOf,
} from '#kernel/plugin'
import { createQuery } from '#kernel/queries'
import {
  atomicOperationNotExposed,
  atomicOperationsNotSupported,
  invalid,
  localIdConflict,
  unknownOp,
} from './errors.ts'
import { readFieldsets } from './fieldsets.ts'
import { lidKey } from './local-ids.ts'
import { findMatch, type Op, ops } from './target.ts'

/** Reads and checks the whole batch before its first operation runs. */
export function readBatch(request: ApiRequest, maxOperations: number): readonly PlannedOperation[] {
  const fields = readFieldsets(request)
  const lids = new Set<string>()
  const operations = readList(request.body, maxOperations).map((operation, index) => {
    request.operationPointer = `/atomic:operations/${index}`
    const planned = readOperation(operation, request, fields)
    checkLid(planned, lids)
    return planned
  })
  request.operationPointer = ''
  return operations
}

function readList(body: unknown, maxOperations: number): readonly unknown[] {
  if (!isObject(body) || body['atomic:operations'] === undefined) throw invalid('atomic:operations is missing', '')
  for (const member of ['data', 'errors', 'included', 'atomic:results']) {
    if (member in body)
      throw invalid(phrase('{member} is not allowed beside atomic:operations', { member }), `/${member}`)
  }
  const operations = body['atomic:operations']
  if (!Array.isArray(operations) || operations.length === 0) {
    throw invalid('atomic:operations must be a list of at least one operation', '/atomic:operations')
  }
  if (operations.length > maxOperations) {
    throw invalid(phrase('it has more than {limit} operations', { limit: maxOperations }), '/atomic:operations')
  }
  return operations
}

const methods: Readonly<Record<Op, string>> = { add: 'POST', update: 'PATCH', remove: 'DELETE' }

/** Reads an operation like the HTTP request that does the same. */
function readOperation(operation: unknown, request: ApiRequest, fields: Query['fields']): PlannedOperation {
  if (!isObject(operation)) throw invalid('an operation must be an object')
  const op = ops.find((name) => name === operation.op)
  if (!op) throw unknownOp(ops, operation.op)
  const { data } = operation
  const match = findMatch(op, operation, request)
  checkOffered(op, match)
  const target = toTarget(match, methods[op], request)
  checkData(op, data, match)
  const kind = toOperationKind(methods[op], target) as OperationKind
  const query = { ...createQuery(target), fields }
  const plan = planOperation(request.app, { kind, target, requester: requesterOf(request) }, query)
  const planned = createOperation(request, { kind, target }, { query, plan }, { data }, true)
  const sentMeta = [...(planned.sentMeta ?? []), ...metaOfRef(operation.ref)]
  return { ...planned, sentMeta, pointer: request.operationPointer }
}

function metaOfRef(ref: unknown): readonly SentMeta[] {
  return isObject(ref) && isObject(ref.meta) ? [{ values: ref.meta, pointer: '/ref/meta' }] : []
}

function checkOffered(op: Op, match: ResourceMatch): void {
  const { name, persister } = match.type
  if (!listMethods(match).includes(methods[op])) {
    throw atomicOperationNotExposed({ type: name, op, target: match.shape })
  }
  if (!persister.transactional) throw atomicOperationsNotSupported({ type: name })
}

function checkData(op: Op, data: unknown, { shape }: ResourceMatch): void {
  if (shape === 'relationship' ? data === undefined : op !== 'remove' && !isObject(data)) {
    throw invalid('data is missing')
  }
}

function checkLid({ kind, input, target: { type } }: PlannedOperation, lids: Set<string>): void {
  if (kind !== 'Create' || input?.lid === undefined) return
  const key = lidKey(type.name, input.lid)
  if (lids.has(key)) throw localIdConflict({ type: type.name, lid: input.lid })
  lids.add(key)
}
