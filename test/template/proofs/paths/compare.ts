import type { SequenceRequest } from './draw-sequence.ts'
import type { PathService } from './service.ts'
import { Session } from './session.ts'

/** The first difference between two paths. */
export interface Difference {
  readonly path: string
  /** The last request that was sent; null if only the tables differ at the end. */
  readonly request: SequenceRequest | null
  readonly index: number
  readonly expected: string
  readonly actual: string
}

/** The comparable responses of a sequence, and the rows after it. */
export interface Transcript {
  readonly responses: readonly string[]
  readonly tables: string
}

/** Restores the rows, then sends the requests one after the other. */
export async function runSequence(service: PathService, requests: readonly SequenceRequest[]): Promise<Transcript> {
  await service.reset()
  const session = new Session(await service.rows())
  const responses: string[] = []
  for (const request of requests) {
    const response = await service.send(session.resolve(request))
    responses.push(session.read(request, response, service.url))
  }
  const rows = (await service.rows()).map((row) => session.withoutGenerated(row))
  return { responses, tables: rows.sort().join('\n') }
}

export function findDifference(
  path: string,
  requests: readonly SequenceRequest[],
  reference: Transcript,
  other: Transcript,
): Difference | null {
  for (const [index, request] of requests.entries()) {
    const [expected, actual] = [reference.responses[index] as string, other.responses[index] as string]
    if (expected !== actual) return { path, request, index, expected, actual }
  }
  if (reference.tables === other.tables) return null
  return { path, request: null, index: requests.length - 1, ...differentLines(reference.tables, other.tables) }
}

function differentLines(expected: string, actual: string): Pick<Difference, 'expected' | 'actual'> {
  const [before, after] = [expected.split('\n'), actual.split('\n')]
  const only = (lines: readonly string[], others: readonly string[]) =>
    lines.filter((line) => !others.includes(line)).join('\n')
  return { expected: only(before, after), actual: only(after, before) }
}
