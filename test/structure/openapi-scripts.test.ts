import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { parse } from 'yaml'
import { root } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'

describe('npm run openapi:diff', () => {
  it('compares with the snapshots of the project', async () => {
    const { stdout } = await node('scripts/openapi-diff.ts').catch((error) => error)
    for (const server of ['default', 'admin']) expect(stdout).to.match(new RegExp(`^${server}: `, 'm'))
  })
})

describe('npm run openapi:export', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'openapi-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  it('writes what is served as JSON or YAML, per server', async () => {
    const { client } = await catalogue()
    for (const [server, format, path] of [
      ['default', 'json', '/docs.json'],
      ['admin', 'yaml', '/admin/docs.json'],
    ] as const) {
      const file = join(folder, `${server}.${format}`)
      await node('scripts/openapi-export.ts', '--server', server, '--format', format, '--output', file)
      const served = JSON.parse((await client.get(path)).text)
      const text = readFileSync(file, 'utf8')
      expect(format === 'yaml' ? parse(text) : JSON.parse(text)).to.deep.equal(served)
    }
  })

  it('writes the schema of a type, and says in a sentence what is not there', async () => {
    const { stdout } = await node('scripts/openapi-export.ts', 'schemas', '--server', 'admin', '--type', 'users')
    expect(JSON.parse(stdout).$id).to.equal('urn:jsonapi:schema:users')
    const { stderr, code } = await node('scripts/openapi-export.ts', '--server', 'nobody').catch((error) => error)
    expect(code).to.equal(1)
    expect(stderr).to.equal("Unknown server 'nobody'. Servers: default, admin.\n")
  })
})

function node(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, NODE_ENV: '', DATABASE_URL: '', DISABLED_PLUGINS: '', BASE_URI: '', ADMIN_BASE_URI: '' }
  return promisify(execFile)(process.execPath, [...args], { cwd: root, env, maxBuffer: 2 ** 26 })
}
