import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { copyProject } from '#test/template/support/project-copy.ts'

const scripts: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts

describe('Every npm script that runs a file', () => {
  it('reads its arguments by readArguments or printHelp, before it does anything', () => {
    const files = Object.values(scripts).flatMap((command) => /^node (?:--\S+ )*(\S+\.ts)/.exec(command)?.[1] ?? [])
    expect(files).to.include('scripts/migrate.ts')
    const others = files.filter(
      (file) => !/\b(?:readArguments|printHelp)\(/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(others).to.deep.equal([])
  })
})

describe('npm run lint', () => {
  it('skips the files that commands write and git ignores', () => {
    const { files } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'))
    const ignored = readFileSync(join(root, '.gitignore'), 'utf8').trim().split('\n')
    const linted = ignored.filter(
      (name) => name !== '.env' && !files.includes.includes(`!${name.replace(/^\*/, '**/*')}`),
    )
    expect(linted).to.deep.equal([])
  })
})

describe('npm run types', function () {
  this.timeout(120_000)
  const invalid = `export const count: number = 'one'\n`
  let copy: string
  before(() => {
    const command = ['scripts/run-in-order.ts', 'scripts/support/arguments.ts']
    copy = copyProject(['package.json', 'tsconfig.json', 'tsconfig.app.json', ...command])
    for (const folder of ['resources', 'test']) mkdirSync(join(copy, folder))
    writeFileSync(join(copy, 'test/count.test.ts'), invalid)
    writeFileSync(join(copy, 'resources/count.ts'), invalid)
  })
  after(() => rmSync(copy, { recursive: true }))

  const filesWithErrors = () => {
    const { status, stdout } = spawnSync('npm', ['run', '--silent', 'types'], { cwd: copy, encoding: 'utf8' })
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
