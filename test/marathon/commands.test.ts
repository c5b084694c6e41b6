import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'

const scripts: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts
const names = Object.keys(scripts)

/** Mocha ignores unknown options, and the commands that call it pass their options on. */
const passesOptionsToMocha = names.filter((name) => /^(?:mocha|node scripts\/test-)/.test(scripts[name] ?? ''))

describe('Every npm script', function () {
  this.timeout(300_000)

  it('prints its usage and exits with 0 for --help', async () => {
    for (const [name, { code, stdout }] of await runAll(names, '--help')) {
      expect(code, name).to.equal(0)
      expect(stdout, name).to.match(/usage|options|npm (?:run |start)/i)
    }
  })

  it('exits with 1 before it does anything for an unknown option, except for options of mocha', async () => {
    const others = names.filter((name) => !passesOptionsToMocha.includes(name))
    for (const [name, { code, stdout, stderr }] of await runAll(others, '--no-such-option')) {
      expect(code, name).to.equal(1)
      expect(stdout + stderr, name).to.match(/no-such-option/)
    }
  })
})

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the scripts as `npm run` does, four at a time. */
async function runAll(scriptNames: readonly string[], option: string): Promise<Map<string, Result>> {
  const results = new Map<string, Result>()
  const next = scriptNames.values()
  const worker = async () => {
    for (const name of next) results.set(name, await run(`${scripts[name]} ${option}`))
  }
  await Promise.all([worker(), worker(), worker(), worker()])
  return results
}

async function run(command: string): Promise<Result> {
  const env = { PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` }
  return promisify(execFile)('sh', ['-c', command], { cwd: root, env }).then(
    (done) => ({ ...done, code: 0 }),
    (error) => error as Result,
  )
}
