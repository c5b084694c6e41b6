import type { ShrunkDifference } from './compare-round.ts'

/** Names the path, the minimal requests, both responses and the command with the options that repeat the round. */
export function describeDifference(difference: ShrunkDifference, options: string): string {
  const { path, request, requests, expected, actual } = difference
  const sent = requests.map(({ method, path: url, headers, body }) =>
    [`${method} ${url}`, JSON.stringify(headers), body?.slice(0, 4_000)].filter(Boolean).join('\n'),
  )
  return [
    `\nPath '${path}' differs ${request ? 'in the last response' : 'in the tables'} after ${requests.length} requests:`,
    ...sent,
    `--- reference\n${expected.slice(0, 2_000)}`,
    `--- ${path}\n${actual.slice(0, 2_000)}`,
    `Repeat: npm run template -- prove paths ${options} --paths ${path}`,
  ].join('\n')
}
