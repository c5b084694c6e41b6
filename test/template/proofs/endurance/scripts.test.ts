import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openDatabase } from '#store'
import { root } from '#test/support/app.ts'
import { openTestDatabase, projectSchema } from '#test/support/database.ts'
import { runNode } from '#test/template/support/run-node.ts'

describe('Scripts on the database of the project', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scripts-'))
  let env: Record<string, string>
  let close: () => Promise<void>

  before(async () => {
    const schema = await projectSchema()
    const database = await openTestDatabase(schema)
    if (database.databaseUrl === null)
      await (await openDatabase({ databaseUrl: null, dataDir: folder, ...schema })).close()
    env = { DATABASE_URL: database.databaseUrl ?? '', DATA_DIR: folder }
    close = database.close
  })
  after(async () => {
    await close()
    rmSync(folder, { recursive: true })
  })

  it('npm run doctor names migrations that are not applied and exits with 1', async () => {
    const { code, stdout } = await runNode(['scripts/doctor.ts'], { env })
    expect(code).to.equal(1)
    expect(stdout).to.match(/pending: .*\n {2}\d{14}_/)
    expect(stdout).to.match(/\d+ to fix(, \d+ warnings?)?\.\n$/)
  })

  it('npm run repl evaluates expressions with the entity manager and dispatch', async () => {
    const prompt = spawn(process.execPath, [join(root, 'scripts/repl.ts')], {
      cwd: root,
      env: { ...process.env, ...env },
    })
    let output = ''
    prompt.stdout.on('data', (chunk) => {
      output += chunk
    })
    const untilPrinted = async (pattern: RegExp) => {
      while (!pattern.test(output)) await new Promise((resolve) => prompt.stdout.once('data', resolve))
    }
    await untilPrinted(/are defined.*> $/s)
    prompt.stdin.write('typeof (await em.getConnection().execute("select 1"))\n')
    await untilPrinted(/'object'/)
    prompt.stdin.write('const [type] = app.registry.types.keys()\n')
    prompt.stdin.write('Object.keys(await dispatch({ kind: "FetchCollection", type })).includes("kind")\n')
    await untilPrinted(/true/)
    const ended = new Promise((resolve) => prompt.on('exit', resolve))
    prompt.stdin.write('.exit\n')
    expect(await ended).to.equal(0)
  })

  it('npm run doctor exits with 0 when all migrations are applied', async () => {
    const { code, stdout } = await runNode(['scripts/doctor.ts'], { env })
    expect(code, stdout).to.equal(0)
  })
})
