import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { catalogue } from '#test/support/catalogue.ts'
import { runCommand } from '#test/template/support/run-command.ts'
import { expectSuccess, runNode } from '#test/template/support/run-node.ts'

describe('npm run openapi -- diff', () => {
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'openapi-'))
    expectSuccess(await runNode(['scripts/openapi-diff.ts', '--folder', folder, '--write']))
  })
  after(() => rmSync(folder, { recursive: true }))

  const diff = async () => {
    const { stdout, code } = await runCommand(['scripts/openapi-diff.ts', '--folder', folder])
    return { code, lines: stdout.trimEnd().split('\n') }
  }
  const changeSnapshot = (server: string, change: (document: { paths: Record<string, object> }) => void) => {
    const file = join(folder, `${server}.json`)
    const document = JSON.parse(readFileSync(file, 'utf8'))
    change(document)
    writeFileSync(file, JSON.stringify(document))
  }

  it('prints one line per server and exits with 0 when nothing has changed', async () => {
    expect(await diff()).to.deep.equal({
      code: 0,
      lines: ['default: no changes.', 'admin: no changes.'],
    })
  })

  it('prints a new operation and exits with 0', async () => {
    changeSnapshot('admin', ({ paths }) => delete paths['/albums'])
    const { code, lines } = await diff()
    expect(code).to.equal(0)
    expect(lines).to.include('admin: POST /albums: is added')
    for (const line of lines) expect(line).not.to.include('BREAKING')
  })

  it('prints a removed operation as breaking and exits with 1', async () => {
    changeSnapshot('default', ({ paths }) => {
      paths['/removed'] = { get: { responses: {} } }
    })
    const { code, lines } = await diff()
    expect(code).to.equal(1)
    expect(lines).to.include('default: BREAKING GET /removed: is removed')
  })

  it('exits with 1 when a snapshot is missing', async () => {
    rmSync(join(folder, 'default.json'))
    const { code, lines } = await diff()
    expect(code).to.equal(1)
    expect(lines).to.include('default: BREAKING default: There is no snapshot; write one with -- --write.')
  })
})

describe('npm run openapi -- export', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'openapi-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  it('writes the served document of each server as JSON or YAML', async () => {
    const { client } = await catalogue()
    for (const [server, format, path] of [
      ['default', 'json', '/docs.json'],
      ['admin', 'yaml', '/admin/docs.json'],
    ] as const) {
      const file = join(folder, `${server}.${format}`)
      expectSuccess(
        await runCommand(['scripts/openapi-export.ts', '--server', server, '--format', format, '--output', file]),
      )
      const served = JSON.parse((await client.get(path)).text)
      const text = readFileSync(file, 'utf8')
      expect(format === 'yaml' ? parse(text) : JSON.parse(text)).to.deep.equal(served)
    }
  })

  it('prints the schema of a type, and exits with 1 for an unknown server', async () => {
    const { stdout } = expectSuccess(
      await runNode(['scripts/openapi-export.ts', 'schemas', '--server', 'admin', '--type', 'users']),
    )
    expect(JSON.parse(stdout).$id).to.equal('urn:jsonapi:schema:users')
    const { stderr, code } = await runCommand(['scripts/openapi-export.ts', '--server', 'unknown'])
    expect(code).to.equal(1)
    expect(stderr).to.equal("Unknown server 'unknown'. Servers: default, admin.\n")
  })
})
