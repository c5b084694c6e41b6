import { expect } from 'chai'
import { runNode } from '#test/template/support/run-node.ts'

describe('A command that can start a PostgreSQL server', () => {
  const commands = {
    'the embedded database': 'process.exitCode = 3',
    'the server of DATABASE_URL': 'process.exitCode = await withTestPostgres(async () => 3)',
  }
  for (const [database, work] of Object.entries(commands)) {
    it(`keeps its exit code when it uses ${database}`, async () => {
      const source = `import { withTestPostgres } from './scripts/support/postgres.ts'\nvoid withTestPostgres; ${work}`
      const env = { DATABASE_URL: 'postgres://localhost/none' }
      const { code, stderr } = await runNode(['--input-type=module-typescript', '-e', source], { env })
      expect([code, stderr]).to.deep.equal([3, ''])
    })
  }
})
