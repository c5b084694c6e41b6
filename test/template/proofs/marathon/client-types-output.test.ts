import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { ApiSchema, ClientOptions } from '#client'
import { root } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { unset } from '../../../../scripts/support/unset.ts'

// A front end in another repository: the package of the client and the output of client:types, without the sources.

const frontEnd = `import { type ClientOptions, createClient } from 'jsonapi-typed-client'
import { type Api, types } from './api/index.js'
export const connect = (options: ClientOptions<Api>) => createClient<Api>({ ...options, types })
export async function titles(url: string): Promise<string[]> {
  const { data } = await connect({ url }).albums.list({ include: ['artist'], filter: { title: 'computer' } })
  return data.map(({ title, artist }) => \`\${title} by \${artist?.name}\`)
}
`

describe('npm run make -- types --output', () => {
  let directory: string
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'other-repository-'))
    const installed = join(directory, 'node_modules/jsonapi-typed-client')
    mkdirSync(installed, { recursive: true })
    copyFileSync(join(root, 'clients/typescript/package.json'), join(installed, 'package.json'))
    await compiler(root, '--project', 'clients/typescript', '--outDir', join(installed, 'dist'))
    await clientTypes('--output', join(directory, 'api'))
    const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, types: [] }
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    writeFileSync(join(directory, 'front-end.ts'), frontEnd)
  })
  after(() => rmSync(directory, { recursive: true }))

  it('writes types with which a front end compiles without the sources of the server', async () => {
    const { stdout } = await compiler(directory, '--listFiles')
    const files = stdout.trim().split('\n')
    expect(files).to.include(join(directory, 'api/index.d.ts'))
    expect(files.filter((file) => file.startsWith(root) && !file.includes('/node_modules/'))).to.deep.equal([])
  })

  it('writes types with which the compiler reports calls that the server would refuse', async () => {
    const wrong = `import { connect } from './front-end.js'
const api = connect({ url: '' })
await api.albums.list({ filter: { heading: 'x' } })
await api.albums.create({ title: 1 })
await api.users.list()
console.log((await api.albums.get('1')).heading)
`
    writeFileSync(join(directory, 'wrong.ts'), wrong)
    const { stdout } = await compiler(directory).catch((failed) => failed)
    rmSync(join(directory, 'wrong.ts'))
    const errors = [...(stdout as string).matchAll(/^(\S+)\((\d+),\d+\): error (TS\d+): (.*)$/gm)]
    expect(errors.map(([, file, line, code]) => `${file}:${line} ${code}`)).to.deep.equal([
      'wrong.ts:3 TS2353',
      'wrong.ts:4 TS2322',
      'wrong.ts:5 TS2339',
      'wrong.ts:6 TS2339',
    ])
  })

  it('writes the hash of the running service, and the client warns once when the service has another', async () => {
    await compiler(directory)
    const { url } = (await catalogue()).client
    const { connect, titles } = await import(join(directory, 'front-end.js'))
    expect(await titles(url)).to.deep.equal(['OK Computer by Radiohead'])
    expect(await collectWarnings(connect, url)).to.deep.equal([])
    const [warning = '', ...others] = await collectWarnings(connect, `${url}/admin`)
    expect(warning).to.match(/^The server has other types \(\S{16}\) than this client \(\S{16}\)\./)
    expect(others).to.deep.equal([])
  })

  it('writes the types of a server that requires a role', async () => {
    const output = join(directory, 'admin')
    await clientTypes('--output', output, '--server', 'admin')
    const { text, headers } = await (await catalogue()).client.get('/admin/client-types.d.ts')
    expect(readFileSync(join(output, 'index.d.ts'), 'utf8')).to.equal(`// Written by npm run make -- types.\n\n${text}`)
    expect(readFileSync(join(output, 'index.js'), 'utf8')).to.equal(
      `export const types = '${headers.get('etag')?.slice(1, -1)}'\n`,
    )
  })

  it('fails with the names of the servers when the server is unknown', async () => {
    const failed = await clientTypes('--output', join(directory, 'none'), '--server', 'none').catch((error) => error)
    expect([failed.code, failed.stderr]).to.deep.equal([1, "Unknown server 'none'. Servers: default, admin.\n"])
  })
})

interface FrontEnd {
  connect(options: ClientOptions<ApiSchema>): { readonly albums: { get(id: string): Promise<unknown> } }
}

/** The warnings of two requests, with the comparison of the hash between them. */
async function collectWarnings(connect: FrontEnd['connect'], url: string): Promise<string[]> {
  const warnings: string[] = []
  const compared = Promise.withResolvers<void>()
  const { albums } = connect({
    url,
    onTypesDiffer: (message) => warnings.push(message),
    async fetch(input, init) {
      const response = await fetch(input, init)
      if (init?.method === 'HEAD') setImmediate(compared.resolve)
      return response
    },
  })
  await albums.get('1')
  await compared.promise
  await albums.get('1')
  return warnings
}

function compiler(cwd: string, ...args: readonly string[]) {
  const file = join(root, 'node_modules/typescript/bin/tsc')
  return promisify(execFile)(process.execPath, [file, '--pretty', 'false', ...args], { cwd, maxBuffer: 2 ** 26 })
}

/** Runs the command as in production, where the admin server requires a role. */
function clientTypes(...args: readonly string[]) {
  const env = { PATH: process.env.PATH, ...unset(), ADMIN_REQUIRES_ROLE: 'true' }
  return promisify(execFile)(process.execPath, ['scripts/make-types.ts', ...args], { cwd: root, env })
}
