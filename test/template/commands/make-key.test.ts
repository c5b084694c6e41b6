import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { loadMigrations } from '#discovery'
import { hashKey } from '#plugins/api-keys/key.ts'
import { findKey } from '#plugins/api-keys/key-table.ts'
import { createStore, openDatabase } from '#store'
import { runCommand } from '#test/template/support/run-command.ts'
import { runNode } from '#test/template/support/run-node.ts'

describe('npm run make -- key', () => {
  let dataDir: string
  before(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'make-key-'))
  })
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  it('prints a key once, which the database finds by its hash with its scopes', async () => {
    const args = ['importer', '--scope', 'admin', '--scope', 'user', '--expires', '2999-01-01']
    const { stdout, code } = await runNode(['scripts/make-key.ts', ...args], { env: { DATA_DIR: dataDir } })
    expect(code).to.equal(0)
    const [key = ''] = stdout.split('\n')
    expect(key).to.match(/^key_[\w-]{43}$/)
    const migrations = await loadMigrations({ root: '', folders: [] }, plugins)
    const database = await openDatabase({ databaseUrl: null, dataDir, entities: [], migrations })
    try {
      const { query } = createStore(database)
      expect(await findKey(query, hashKey(key))).to.deep.include({ scopes: ['admin', 'user'] })
      expect(await findKey(query, hashKey(`${key}x`))).to.equal(null)
    } finally {
      await database.close()
    }
  })

  it('exits with 1 for an unknown scope, without a scope or a name, and for an expiry in the past', async () => {
    for (const [args, message] of [
      [['importer', '--scope', 'write'], 'Unknown scope: write. Scopes: admin, user.'],
      [['importer'], 'npm run make -- key <name>'],
      [['importer', '--scope', 'admin', '--expires', 'soon'], '--expires must be a time in the future.'],
    ] as const) {
      const { stderr, code } = await runCommand(['scripts/make-key.ts', ...args], { DATA_DIR: dataDir })
      expect(code, message).to.equal(1)
      expect(stderr).to.include(message)
    }
  })
})
