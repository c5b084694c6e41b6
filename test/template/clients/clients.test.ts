import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { live } from '../../../plugins/live/index.ts'
import { describeApp } from '../../../plugins/openapi/index.ts'
import { markDirty, root } from '../../support/app.ts'
import { catalogue } from '../../support/catalogue.ts'
import { openRecordedLibrary, startRecordedLibrary, withPlugins } from '../support/recorded-library.ts'

// Clients and schemas are generated from OpenAPI documents alone. The tools are those of the package in this
// folder.

// biome-ignore lint/suspicious/noExplicitAny: documents and generated modules are untyped
type Part = any

const folder = import.meta.dirname
const generated = join(folder, 'generated')
const names = ['default', 'admin'] as const
/** The name of the document of the library, whose collections and resources are streams as well. */
const streamed = 'live'
const documents = [...names, streamed]

describe('Generated clients', () => {
  let url: string
  before(async () => {
    url = (await catalogue()).client.url
    rmSync(generated, { recursive: true, force: true })
    mkdirSync(generated)
    for (const name of names) writeDocument(name, await documentOf(name))
    writeDocument(streamed, await streamedDocument())
  })

  after(markDirty)

  it('redocly finds neither errors nor warnings in the documents', async () => {
    const { output, code } = await run('redocly', 'lint', ...documents.map((name) => `generated/${name}.json`))
    expect(output).not.to.match(/\d+ (error|warning)/i)
    expect(code, output).to.equal(0)
  })

  it('the rules of Spectral for OpenAPI find no errors in the documents', async () => {
    const files = documents.map((name) => `generated/${name}.json`)
    await succeed('spectral', 'lint', '-r', 'spectral.yaml', '--fail-severity', 'error', ...files)
  })

  it('openapi-typescript, @hey-api/openapi-ts and orval generate clients and zod schemas that compile', async () => {
    for (const name of documents) {
      await succeed('openapi-typescript', `generated/${name}.json`, '-o', `generated/${name}.ts`)
    }
    await succeed('openapi-ts')
    await succeed('orval', '--config', 'orval.config.ts')
    // The compiler of the project checks the same types in half the time of the compiler that the generators need.
    await succeed(join(root, 'node_modules/.bin/tsc'), '-p', '.')
  })

  it('generated zod schemas accept the responses of all reads and the examples of all requests', async () => {
    for (const name of names) {
      const orval = await import(join(generated, `orval-${name}.ts`))
      const hey = await import(join(generated, `hey-${name}/zod.gen.ts`))
      const { paths, servers } = await documentOf(name)
      for (const [path, { parameters = [], ...methods }] of Object.entries<Part>(paths)) {
        for (const [method, { operationId, requestBody }] of Object.entries<Part>(methods)) {
          const symbol = operationId
            .split(/[^A-Za-z0-9]/)
            .map(capitalized)
            .join('')
          const check = (value: Part, kind: string) => {
            for (const schema of [orval[symbol + kind], hey[`z${symbol}${kind}`]]) {
              const { error } = schema.safeParse(value)
              expect(error?.issues, `${operationId} ${kind}`).to.equal(undefined)
            }
          }
          for (const [media, { example }] of Object.entries<Part>(requestBody?.content ?? {})) {
            if (media.includes('json')) check(example, 'Body')
          }
          if (method !== 'get') continue
          const target = path.replace('{id}', parameters[0]?.example)
          const response = await fetch(url + servers[0].url.replace(/\/$/, '') + target, { redirect: 'manual' })
          if (response.status === 200) check(await response.json(), 'Response')
        }
      }
    }
  })

  it('generated types have the stream of a collection beside its document', () => {
    const types = readFileSync(join(generated, `${streamed}.ts`), 'utf8')
    expect(types).to.match(/"text\/event-stream": components\["schemas"\]\["EventStream"\]/)
  })

  it('a generated client lists, includes, creates, updates, adds members and runs a batch', async () => {
    const { useClient } = await import(join(folder, 'use-client.ts'))
    expect(await useClient(url)).to.deep.equal({
      titles: ['OK Computer'],
      included: ['artists 1', 'tracks 1', 'tracks 2', 'tracks 3'],
      created: 201,
      status: 'released',
      members: ['4'],
      results: ['artists', 'albums'],
      faults: ['/data/attributes/title'],
    })
  })

  const documentOf = async (name: (typeof names)[number]): Promise<Part> =>
    (await fetch(`${url}${name === 'default' ? '' : `/${name}`}/docs.json`)).json()
})

function writeDocument(name: string, document: Part): void {
  // With line breaks: linters are slow on documents of one line.
  writeFileSync(join(generated, `${name}.json`), JSON.stringify(document, null, 1))
}

/** Returns the OpenAPI document of an application with live collections. */
async function streamedDocument(): Promise<Part> {
  const plugins = withPlugins(live())
  const database = await openRecordedLibrary(plugins)
  const { app, close } = await startRecordedLibrary(database, { plugins })
  const document = describeApp(app, {
    info: { title: 'Library', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
  }).get('default')
  await close()
  await database.close()
  return document
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

async function succeed(tool: string, ...args: readonly string[]): Promise<void> {
  const { code, output } = await run(tool, ...args)
  expect(code, `${tool}: ${output}`).to.equal(0)
}

async function run(tool: string, ...args: readonly string[]): Promise<{ code: number; output: string }> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
  const options = { cwd: folder, env, maxBuffer: 2 ** 26 }
  try {
    const { stdout, stderr } = await promisify(execFile)(resolve(folder, 'node_modules/.bin', tool), [...args], options)
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, output: stdout + stderr }
  }
}
