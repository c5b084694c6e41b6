import type { RandomSource } from '#test/conformance/random.ts'
import { applied, initialState } from '#test/template/support/write-model/state.ts'
import { drawWrite, type Write } from '#test/template/support/write-model/writes.ts'
import { readLibrary, restoreLibrary } from '../library-snapshot.ts'
import type { Identifier, Rule, World, WorldResponse } from '../world.ts'

/**
 * A batch has the results and leaves the rows of its operations sent one after the other; if one of them fails, it has the
 * error of that operation and leaves the rows as they were.
 */
export const batchesAreSequences: Rule = async (world, draw) => {
  await restoreLibrary()
  const before = await readLibrary()
  const { writes, responses } = await sendWrites(world, draw)
  const after = await readLibrary()
  await restoreLibrary()
  const operations = toOperations(writes, responses)
  const response = await world.send('POST', '/operations', { 'atomic:operations': operations }, true)
  const fault = responses.every(isSuccess)
    ? findDifferentResult(writes, responses, response)
    : findDifferentError(responses, response)
  if (fault) return `${JSON.stringify(operations)}: ${fault}`
  const expected = responses.every(isSuccess) ? after : before
  if ((await readLibrary()) === expected) return null
  return `${JSON.stringify(operations)}: the batch leaves other rows than its operations one after the other.`
}

/** Sends up to four random writes, until one of them fails. */
async function sendWrites(world: World, draw: RandomSource) {
  const writes: Write[] = []
  const responses: WorldResponse[] = []
  let state = initialState()
  for (let number = 0; number < 1 + draw.below(4) && responses.every(isSuccess); number++) {
    const write = drawWrite(structuredClone(state), draw, number)
    const response = await world.send(write.method, write.path, write.body as object)
    writes.push(write)
    responses.push(response)
    if (isSuccess(response)) state = applied(state, write, readIdentifier(response.text)?.id ?? '')
  }
  return { writes, responses }
}

/**
 * The same writes as operations of a batch. References to resources that the batch creates are local ids: if the
 * transaction is repeated, the sequences of the database do not return the same ids again.
 */
function toOperations(writes: readonly Write[], responses: readonly WorldResponse[]): object[] {
  const localIds = new Map<string, string>()
  return writes.map((write, index) => {
    const operation = toOperation(write, localIds)
    const { data } = (write.body ?? {}) as { data?: Partial<Identifier> }
    const created =
      write.method === 'POST' && !data?.id ? readIdentifier((responses[index] as WorldResponse).text) : null
    if (!created || isRelationshipPath(write.path)) return operation
    localIds.set(`${created.type} ${created.id}`, `created-${index}`)
    return { ...operation, data: { ...operation.data, lid: `created-${index}` } }
  })
}

interface Operation {
  readonly op: string | undefined
  readonly ref?: object
  readonly href?: string
  readonly data?: object | undefined
}

function toOperation({ method, path, body }: Write, localIds: ReadonlyMap<string, string>): Operation {
  const [, type = '', id = '', , relationship] = path.split('/')
  const { data } = withLocalIds((body ?? {}) as { data?: object }, localIds)
  const op = { POST: 'add', PATCH: 'update', DELETE: 'remove' }[method]
  const ref = withLocalIds({ type, id, ...(relationship && { relationship }) }, localIds)
  if (relationship) return { op, ref, data }
  if (method === 'DELETE') return { op, ref }
  return 'lid' in ref ? { op, ref, data } : { op, href: path, data }
}

/** Replaces the ids of created resources in identifiers and resource objects. */
function withLocalIds<Value extends object>(value: Value, localIds: ReadonlyMap<string, string>): Value {
  return JSON.parse(JSON.stringify(value), (_, member) => {
    const lid = member && localIds.get(`${member.type} ${member.id}`)
    if (!lid) return member
    const { id: _id, ...rest } = member
    return { ...rest, lid }
  })
}

function isRelationshipPath(path: string): boolean {
  return path.includes('/relationships/')
}

function findDifferentResult(
  writes: readonly Write[],
  responses: readonly WorldResponse[],
  { status, text }: WorldResponse,
): string | null {
  if (status !== 200 && status !== 204) return `the batch returns ${status} ${text}, its operations succeed.`
  const results: { data?: object }[] = status === 204 ? [] : JSON.parse(text)['atomic:results']
  for (const [index, response] of responses.entries()) {
    // The result of a relationship operation has no data.
    if (response.status === 204 || isRelationshipPath(writes[index]?.path ?? '')) continue
    const [single, result] = [readIdentifier(response.text), results[index]?.data].map((data) =>
      JSON.stringify(data ?? null),
    )
    if (single !== result) return `operation ${index} has the result ${result}, the single request ${single}.`
  }
  return null
}

function findDifferentError(responses: readonly WorldResponse[], batch: WorldResponse): string | null {
  const index = responses.length - 1
  const single = responses[index] as WorldResponse
  const expected = readErrors(single, `/atomic:operations/${index}`)
  const actual = readErrors(batch, '')
  const isSame = ({ code, pointer }: ErrorMembers, at: number) =>
    code === actual[at]?.code && (pointer === '' || pointer === actual[at]?.pointer)
  if (single.status === batch.status && expected.length === actual.length && expected.every(isSame)) return null
  const [alone, whole] = [expected, actual].map((errors) => JSON.stringify(errors))
  return `the batch returns ${batch.status} ${whole}, operation ${index} alone ${single.status} ${alone}.`
}

interface ErrorMembers {
  readonly code: string
  readonly pointer: string
}

/** The errors with the pointers that they have in a document which contains the request at `prefix`. */
function readErrors({ text }: WorldResponse, prefix: string): ErrorMembers[] {
  const { errors = [] } = JSON.parse(text)
  return errors.map(({ code = '', source }: { code?: string; source?: { pointer?: string } }) => {
    return { code, pointer: source?.pointer ? prefix + source.pointer : '' }
  })
}

function isSuccess({ status }: WorldResponse): boolean {
  return status >= 200 && status < 300
}

/** Without links, which name the request. */
function readIdentifier(text: string): Identifier | null {
  return text === '' ? null : (JSON.parse(text).data ?? null)
}
