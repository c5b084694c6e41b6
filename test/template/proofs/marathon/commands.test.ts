import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { findCommand, commands as known, readCommands } from '#test/template/support/documented-commands.ts'
import { copyProject, projectParts } from '#test/template/support/project-copy.ts'
import { unset } from '../../../../scripts/support/unset.ts'

const names = [...known.keys()]

/** Mocha ignores unknown options, and the commands that call it pass their options on. */
const passesOptionsToMocha = names.filter((name) =>
  /^(?:test\b|template -- (?:test|browser|plans|pooler|endurance embedded)$)/.test(name),
)

describe('Every command', function () {
  this.timeout(300_000)

  it('prints its usage with the documented options and exits with 0 for --help', async () => {
    const commands = readCommands()
    for (const [name, { code, stdout }] of await runAll(names, '--help')) {
      expect(code, name).to.equal(0)
      expect(stdout, name).to.match(/usage|options|npm (?:run |start)/i)
      for (const { file, command } of commands.filter((documented) => findCommand(documented.command) === name)) {
        for (const [option] of command.replace(/'[^']*'/g, '').matchAll(/(?<= )--[a-z][\w-]*/g)) {
          expect(stdout, `${file}: ${command}`).to.include(option)
        }
      }
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

describe('Commands that no other test runs', function () {
  this.timeout(300_000)
  let copy: string
  before(() => {
    copy = copyProject(projectParts())
  })
  after(() => rmSync(copy, { recursive: true }))

  for (const [command, file] of [
    ['docs -- errors', 'docs/errors.md'],
    ['docs -- configuration', 'docs/configuration.md'],
  ] as const) {
    it(`npm run ${command} writes ${file} as it is in the project`, async () => {
      expect(await run(command, [], copy)).to.include({ code: 0 })
      expect(readFileSync(join(copy, file), 'utf8')).to.equal(readFileSync(join(root, file), 'utf8'))
    })
  }

  it('npm run docs -- serve --build writes the site', async () => {
    expect(await run('docs -- serve', ['--build'], copy)).to.include({ code: 0 })
    expect(readFileSync(join(copy, '.site/docs/index.html'), 'utf8')).to.include('<h1 id="documentation">')
  })

  for (const [name, options] of [
    ['template -- coverage', []],
    ['seed', ['--scale', '1']],
  ] as const) {
    it(`npm run ${name} ${options.join(' ')} exits with 0`, async () => {
      const { code, stdout, stderr } = await run(name, options, copy)
      expect(code, stdout + stderr).to.equal(0)
    })
  }
})

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the commands as `npm run` does, four at a time. */
async function runAll(commandNames: readonly string[], option: string): Promise<Map<string, Result>> {
  const results = new Map<string, Result>()
  const next = commandNames.values()
  const worker = async () => {
    for (const name of next) results.set(name, await run(name, [option]))
  }
  await Promise.all([worker(), worker(), worker(), worker()])
  return results
}

async function run(name: string, args: readonly string[], cwd = root): Promise<Result> {
  const env = { PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`, ...(cwd !== root && unset()) }
  const [script = '', sub] = name.split(' -- ')
  const words = ['run', '--silent', script, '--', ...(sub?.split(' ') ?? []), ...args]
  return promisify(execFile)('npm', words, { cwd, env, maxBuffer: 2 ** 26 }).then(
    (done) => ({ ...done, code: 0 }),
    (error) => error as Result,
  )
}
