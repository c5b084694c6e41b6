import {
  type ApiRequest,
  createQuery,
  isObject,
  isRefused,
  lidKey,
  type OperationDraft,
  queryParamUnrecognized,
  readResourceInput,
  throwFaults,
} from '#kernel'
import {
  atomicOperationNotExposed,
  atomicOperationsInvalid,
  atomicTargetTypeUnknown,
  localIdConflict,
} from './errors.ts'
import { inOperation } from './pointers.ts'

/** Reads the whole batch before any of it runs: its shape, its types, and each document. */
export function readOperations(request: ApiRequest, maxOperations: number): readonly OperationDraft[] {
  checkQuery(request)
  const operations = readList(request.body, maxOperations)
  const lids = new Set<string>()
  return operations.map((operation, index) => {
    try {
      const draft = readAdd(operation, request)
      checkLid(draft, lids)
      return draft
    } catch (error) {
      throw inOperation(error, index)
    }
  })
}

/** A batch has no query of its own: families some plugin owns are without effect, others are unknown. */
function checkQuery({ app, server, url }: ApiRequest): void {
  const families = new Set([...new URLSearchParams(url.search).keys()].map((name) => name.split('[')[0] as string))
  const unknown = [...families].filter(
    (family) => !server.parameters.has(family) && isRefused(family, app.config.strictQueryParameters),
  )
  throwFaults(unknown.map((parameter) => queryParamUnrecognized({ parameter }, { source: { parameter } })))
}

function readList(body: unknown, maxOperations: number): readonly unknown[] {
  const refuse = (reason: string, pointer: string) => atomicOperationsInvalid({ reason }, { source: { pointer } })
  if (!isObject(body) || body['atomic:operations'] === undefined) throw refuse('atomic:operations is missing', '')
  for (const member of ['data', 'errors', 'included', 'atomic:results']) {
    if (member in body) throw refuse(`${member} cannot stand beside atomic:operations`, `/${member}`)
  }
  const operations = body['atomic:operations']
  if (!Array.isArray(operations) || operations.length === 0) {
    throw refuse('atomic:operations is not a list of operations', '/atomic:operations')
  }
  if (operations.length > maxOperations) {
    throw refuse(`it has more than ${maxOperations} operations`, '/atomic:operations')
  }
  return operations
}

function readAdd(operation: unknown, request: ApiRequest): OperationDraft {
  const { server, principal } = request
  if (!isObject(operation) || operation.op !== 'add') throw atomicOperationsInvalid({ reason: "the op must be 'add'" })
  if ('ref' in operation || 'href' in operation)
    throw atomicOperationsInvalid({ reason: 'the target is the type of data' })
  const { data } = operation
  if (!isObject(data)) throw atomicOperationsInvalid({ reason: 'data is missing' })
  const name = String(data.type)
  const type = server.types.get(name)
  if (!type && typeof data.type === 'string') throw atomicTargetTypeUnknown({ type: name })
  if (!type) throw atomicOperationsInvalid({ reason: 'data has no type' })
  if (!type.operations.has('Create')) throw atomicOperationNotExposed({ type: name })
  const target = { kind: 'collection', server, type } as const
  return {
    kind: 'Create',
    target,
    origin: { server, request, principal, trusted: false },
    query: createQuery(target, new Set()),
    input: readResourceInput({ data }, target, { update: false, batch: true }),
  }
}

function checkLid({ input, target }: OperationDraft, lids: Set<string>): void {
  if (input?.lid === undefined) return
  const key = lidKey(target.type.name, input.lid)
  if (lids.has(key)) throw localIdConflict({ type: target.type.name, lid: input.lid })
  lids.add(key)
}
