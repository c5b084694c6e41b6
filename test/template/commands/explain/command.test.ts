import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { publicAlbums } from '#test/support/catalogue.ts'
import { testDatabase } from '#test/support/database.ts'
import { runCommand } from '#test/template/support/run-command.ts'
import { runNode } from '#test/template/support/run-node.ts'

describe('npm run explain as a command', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'explain-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  const settings = async () => ({ DATABASE_URL: (await testDatabase()).url ?? '', DATA_DIR: dataDir })

  it('prints one JSON document with --json, and exits with 0', async () => {
    const path = `/albums/${publicAlbums[0]}`
    const { stdout, stderr, code } = await runNode(['scripts/explain.ts', `GET ${path}`, '--json'], {
      env: await settings(),
    })
    expect(stderr).to.equal('')
    expect(code).to.equal(0)
    const { request, status, statements } = JSON.parse(stdout)
    expect(request).to.deep.equal({ method: 'GET', path })
    expect(status).to.equal(200)
    expect(statements[0]).to.include.keys('sql', 'parameterCount', 'milliseconds', 'failure', 'plan', 'indexes')
    expect(statements[0]).not.to.include.keys('parameters')
  })

  it('prints the usage and exits with 1 without a request, and for a role without a requester', async () => {
    for (const args of [[], ['GET /albums', '--role', 'admin']]) {
      const { stderr, code } = await runCommand(['scripts/explain.ts', ...args], await settings())
      expect(code, args.join(' ')).to.equal(1)
      expect(stderr).to.match(/^(?:A request is needed|--role needs --as).*\n\nnpm run explain/)
    }
  })
})
