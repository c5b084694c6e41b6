import { fillLibrary } from '#test/specification/library-rows.ts'
import type { RandomSource } from '#test/specification/random.ts'
import { tablesOf } from '#test/support/batch.ts'
import { libraryDatabase } from '#test/support/library/index.ts'
import { applied, initialState } from '#test/support/write-model/state.ts'
import { drawWrite, type Write } from '#test/support/write-model/writes.ts'
import type { Rule, World, WorldResponse } from '../world.ts'

/**
 * A batch has the results and leaves the rows of its operations sent one after the other; if one of them fails, it has the
 * error of that operation and leaves the rows as they were.
 */
export const batchesAreSequences: Rule = async (world, draw) => {
  await fillLibrary()
  const before = await rows()
  const { writes, responses } = await sendWrites(world, draw)
  const after = await rows()
  await fillLibrary()
  const operations = writes.map(toOperation)
  const response = await world.send('POST', '/operations', { 'atomic:operations': operations }, true)
  const fault = responses.every(isSuccess)
    ? findDifferentResult(writes, responses, response)
    : findDifferentError(responses, response)
  if (fault) return `${JSON.stringify(operations)}: ${fault}`
  const expected = responses.every(isSuccess) ? after : before
  if ((await rows()) === expected) return null
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
    if (isSuccess(response)) state = applied(state, write, dataOf(response.text)?.id ?? '')
  }
  return { writes, responses }
}

function toOperation({ method, path, body }: Write): object {
  const [, type, id, isRelationship, relationship] = path.split('/')
  const { data } = (body ?? {}) as { data?: unknown }
  const op = { POST: 'add', PATCH: 'update', DELETE: 'remove' }[method]
  if (isRelationship) return { op, ref: { type, id, relationship }, data }
  if (method === 'DELETE') return { op, ref: { type, id } }
  return method === 'POST' ? { op, href: `/${type}`, data } : { op, href: path, data }
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
    if (response.status === 204 || writes[index]?.path.includes('/relationships/')) continue
    const [single, result] = [dataOf(response.text), results[index]?.data].map((data) => JSON.stringify(data ?? null))
    if (single !== result) return `operation ${index} has the result ${result}, the single request ${single}.`
  }
  return null
}

function findDifferentError(responses: readonly WorldResponse[], batch: WorldResponse): string | null {
  const index = responses.length - 1
  const single = responses[index] as WorldResponse
  const expected = errorsOf(single, `/atomic:operations/${index}`)
  const actual = errorsOf(batch, '')
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
function errorsOf({ text }: WorldResponse, prefix: string): ErrorMembers[] {
  const { errors = [] } = JSON.parse(text)
  return errors.map(({ code = '', source }: { code?: string; source?: { pointer?: string } }) => {
    return { code, pointer: source?.pointer ? prefix + source.pointer : '' }
  })
}

function isSuccess({ status }: WorldResponse): boolean {
  return status >= 200 && status < 300
}

/** Without links, which name the request. */
function dataOf(text: string): { readonly id?: string } | null {
  return text === '' ? null : (JSON.parse(text).data ?? null)
}

async function rows(): Promise<string> {
  return JSON.stringify(await tablesOf(await libraryDatabase()))
}
