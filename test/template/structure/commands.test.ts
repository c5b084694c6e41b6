import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { copyProject } from '#test/template/support/project-copy.ts'
import { runNode } from '#test/template/support/run-node.ts'
import { commandFiles } from '../../../scripts/support/command-files.ts'
import { findCommands, templateCommands } from '../../../scripts/template/commands.ts'

/** The files that sub-commands of `npm run template` run, besides tests. */
const templateFiles = Object.values(templateCommands).flatMap(({ commands }) =>
  commands.flatMap((words) => words.find((word) => /^(?:scripts|test)\/.*(?<!\.test)\.ts$/.test(word)) ?? []),
)

const scripts: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts

describe('Scripts of package.json', () => {
  it('are at most 25', () => {
    expect(Object.keys(scripts).length).to.be.at.most(25)
  })

  it('run in any shell: each is a program with plain arguments', () => {
    const plain = /^(?:node(?: --[\w=-]+)* [\w./-]+\.ts(?: \w+)?|mocha)$/
    expect(Object.values(scripts).filter((command) => !plain.test(command))).to.deep.equal([])
  })
})

describe('Every command', () => {
  it('reads its arguments by readArguments or printHelp, before it does anything', () => {
    const files = [...commandFiles(root).values(), ...templateFiles].filter((file) => file !== 'scripts/start.ts')
    expect(files).to.include.members(['scripts/migrate.ts', 'scripts/make-resource.ts', 'scripts/template/release.ts'])
    const others = files.filter(
      (file) => !/\b(?:readArguments|printHelp)\(/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(others).to.deep.equal([])
  })
})

describe('A command with sub-commands', () => {
  const runCommand = (...args: readonly string[]) => runNode(['scripts/run.ts', ...args])

  it('lists them without an argument and with --help, and exits with 0', async () => {
    for (const args of [['make'], ['make', '--help']]) {
      const { code, stdout } = await runCommand(...args)
      expect(code).to.equal(0)
      expect(stdout).to.match(/^npm run make -- action\nnpm run make -- key\nnpm run make -- plugin\n/)
    }
  })

  it('exits with 1 and lists them when the sub-command is unknown', async () => {
    const { code, stderr } = await runCommand('make', 'ressource')
    expect(code).to.equal(1)
    expect(stderr).to.match(/^Unknown sub-command 'ressource'\.\n\nnpm run make -- action\n/)
  })

  it('passes further arguments to the sub-command', async () => {
    const { code, stdout } = await runCommand('migrate', 'down', '--help')
    expect(code).to.equal(0)
    expect(stdout).to.match(/^npm run migrate -- down\n/)
  })
})

describe('npm run template', () => {
  it('lists the commands of maintainers, whose files exist', async () => {
    const { code, stdout } = await runNode(['scripts/template/main.ts'])
    expect(code).to.equal(0)
    for (const [name, { commands }] of Object.entries(templateCommands)) {
      expect(stdout).to.include(`npm run template -- ${name} `)
      expect(findCommands(name), name).to.deep.equal(commands)
    }
  })

  it('exits with 1 when the sub-command is unknown', async () => {
    const { code, stderr } = await runNode(['scripts/template/main.ts', 'prove', 'nothing'])
    expect([code, stderr.split('\n')[0]]).to.deep.equal([1, "Unknown sub-command 'prove'."])
  })
})

describe('npm run check -- lint', () => {
  it('skips the files that commands write and git ignores', () => {
    const { files } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'))
    const ignored = readFileSync(join(root, '.gitignore'), 'utf8').trim().split('\n')
    const linted = ignored.filter(
      (name) => name !== '.env' && !files.includes.includes(`!${name.replace(/^\*/, '**/*')}`),
    )
    expect(linted).to.deep.equal([])
  })
})

describe('npm run check -- types', () => {
  const invalid = `export const count: number = 'one'\n`
  let copy: string
  before(() => {
    const command = [
      ...['run.ts', 'check-types.ts'].map((name) => `scripts/${name}`),
      ...['arguments.ts', 'root.ts', 'run-commands.ts', 'stop-with-parent.ts'].map((name) => `scripts/support/${name}`),
    ]
    copy = copyProject(['package.json', 'tsconfig.json', 'tsconfig.app.json', ...command])
    for (const folder of ['resources', 'test']) mkdirSync(join(copy, folder))
    writeFileSync(join(copy, 'test/count.test.ts'), invalid)
    writeFileSync(join(copy, 'resources/count.ts'), invalid)
  })
  after(() => rmSync(copy, { recursive: true }))

  const filesWithErrors = () => {
    const { status, stdout } = spawnSync('npm', ['run', '--silent', 'check', '--', 'types'], {
      cwd: copy,
      encoding: 'utf8',
    })
    expect(status, stdout).not.to.equal(0)
    return [...stdout.matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(([, file]) => file)
  }

  it('lists only the errors of the application when it has any', () => {
    expect(filesWithErrors()).to.deep.equal(['resources/count.ts'])
  })

  it('lists the errors of tests when the application has none', () => {
    writeFileSync(join(copy, 'resources/count.ts'), 'export const count = 1\n')
    expect(filesWithErrors()).to.deep.equal(['test/count.test.ts'])
  })
})
