import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatTable } from '../../../../../scripts/support/table.ts'
import type { FuzzRequest } from '../send.ts'
import { type Entry, measures } from './archive.ts'
import { toRequest } from './candidate.ts'
import type { SearchResult } from './search.ts'

const shown = 3

/** Prints the most expensive requests by each measure, and those that exceed a bound. */
export async function report({ archive, broken, sent }: SearchResult, seed: number): Promise<void> {
  const folder = join(tmpdir(), `expensive-${seed}`)
  await mkdir(folder, { recursive: true })
  const entries = measures.flatMap((measure) =>
    archive
      .entries(measure)
      .slice(0, shown)
      .map((entry) => ({ measure: measure.name, entry })),
  )
  const numbers = new Map([...new Set(entries.map(({ entry }) => entry))].map((entry, at) => [entry, at + 1]))
  const rows = entries.map(({ measure, entry }) => [measure, `#${numbers.get(entry)}`, ...cells(entry)])
  console.log(formatTable([['MEASURE', 'REQUEST', ...heads], ...rows]))
  for (const [entry, number] of numbers) console.log(`\n#${number} ${await describe(entry, folder, `${number}`)}`)
  console.log(`\n${sent} requests of seed ${seed}.`)
  for (const [at, violation] of distinct(broken).entries()) {
    console.log(
      `\n${violation.sentence} (${cells(violation).join(', ')})\n${await describe(violation, folder, `broken-${at + 1}`)}`,
    )
  }
}

const heads = ['STATUS', 'CPU ms', 'WALL ms', 'BYTES', 'STATEMENTS', 'MEMORY kB', 'RESOURCES', 'IDENTIFIERS']

function cells({ cost }: Entry): string[] {
  const { status, cpu, wall, bytes, statements, memory, resources, identifiers } = cost
  const numbers = [status, cpu, wall, bytes, statements, memory / 1024, resources, identifiers]
  return numbers.map((number) => String(Math.round(number)))
}

/** Returns one violation for each kind of bound and path. */
function distinct<Broken extends Entry & { sentence: string }>(broken: readonly Broken[]): Broken[] {
  const keyOf = ({ sentence, candidate: { method, path } }: Broken) =>
    `${sentence.replace(/\d+/g, '')} ${method} ${path.replace(/[^/]*\d[^/]*/g, '')}`
  return [...new Map(broken.map((violation) => [keyOf(violation), violation])).values()].slice(0, 20)
}

/** Returns the request in short, and a command that sends it to a service of `npm start`. The request is in files. */
async function describe({ candidate }: Entry, folder: string, name: string): Promise<string> {
  const request = toRequest(candidate)
  const file = join(folder, `${name}.curl`)
  await writeFile(file, await toCurl(request, join(folder, `${name}.body`)))
  return `${request.method} ${request.path.slice(0, 200)}\n   curl -K ${file}`
}

async function toCurl({ method, path, headers, body }: FuzzRequest, bodyFile: string): Promise<string> {
  if (body !== null) await writeFile(bodyFile, body)
  const options = [
    `url = ${JSON.stringify(`http://127.0.0.1:3000${path}`)}`,
    `request = ${method}`,
    'globoff',
    'output = /dev/null',
    'write-out = "%{http_code}, %{size_download} bytes, %{time_total} s\\n"',
    ...Object.entries(headers).map(([header, value]) => `header = ${JSON.stringify(`${header}: ${value}`)}`),
    ...(body === null ? [] : [`data-binary = "@${bodyFile}"`]),
  ]
  return `${options.join('\n')}\n`
}
