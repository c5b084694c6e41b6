import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { markDirty } from '../support/app.ts'
import { catalogue } from '../support/catalogue.ts'

// Clients are generated from the served OpenAPI documents alone. The tools are those of the package in this folder.

const folder = import.meta.dirname
const generated = join(folder, 'generated')

describe('Generated clients', () => {
  let url: string
  before(async () => {
    url = (await catalogue()).client.url
    rmSync(generated, { recursive: true, force: true })
    mkdirSync(generated)
    for (const [name, path] of [
      ['default', '/docs.json'],
      ['admin', '/admin/docs.json'],
    ]) {
      writeFileSync(join(generated, `${name}.json`), await (await fetch(url + path)).text())
    }
  })

  after(markDirty)

  it('redocly finds neither errors nor warnings in the documents', async () => {
    const { output, code } = await run('redocly', 'lint', 'generated/default.json', 'generated/admin.json')
    expect(output).not.to.match(/\d+ (error|warning)/i)
    expect(code, output).to.equal(0)
  })

  it('openapi-typescript and @hey-api/openapi-ts generate clients that compile', async () => {
    for (const name of ['default', 'admin']) {
      await succeed('openapi-typescript', `generated/${name}.json`, '-o', `generated/${name}.ts`)
      await succeed(
        'openapi-ts',
        '-i',
        `./generated/${name}.json`,
        '-o',
        `./generated/hey-${name}`,
        '-c',
        '@hey-api/client-fetch',
      )
    }
    await succeed('tsc', '-p', '.')
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
})

async function succeed(tool: string, ...args: readonly string[]): Promise<void> {
  const { code, output } = await run(tool, ...args)
  expect(code, `${tool}: ${output}`).to.equal(0)
}

async function run(tool: string, ...args: readonly string[]): Promise<{ code: number; output: string }> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
  const options = { cwd: folder, env, maxBuffer: 2 ** 26 }
  try {
    const { stdout, stderr } = await promisify(execFile)(join(folder, 'node_modules/.bin', tool), [...args], options)
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, output: stdout + stderr }
  }
}
