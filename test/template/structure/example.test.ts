import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { compile, copyProject } from '#test/template/support/project-copy.ts'
import { compiledCode } from '#test/template/support/run-node.ts'
import { unset } from '../../../scripts/support/unset.ts'

// The examples in copies of the project: an attribute is renamed, or plugins are listed.

describe('A renamed attribute', () => {
  let copy: string
  before(() => {
    const parts = ['app', 'clients', 'examples', 'plugins', 'resources', 'scripts', 'package.json', 'tsconfig.json']
    copy = copyProject(parts, (file) => !file.endsWith('.test.ts'))
  })
  after(() => rmSync(copy, { recursive: true }))

  it('is a compiler error at every use in the example front end and the recipes, and nowhere else', async () => {
    const file = join(copy, 'resources/albums/resource.ts')
    const source = readFileSync(file, 'utf8')
    const renamed = source.replace(`string('title')`, `string('name').storedAs('title')`)
    expect(renamed).not.to.equal(source)
    writeFileSync(file, renamed)
    const errors = await compile(copy, '-p', 'examples')
    const files = new Set(errors.map((error) => error.replace(/\(.*/, '')))
    expect([...files]).to.include.members([
      'examples/browser/src/album-fields.ts',
      'examples/browser/src/album-list.ts',
      'examples/browser/src/create-dialog.ts',
      'examples/browser/src/edit-dialog.ts',
      'examples/recipes/tanstack-query.ts',
    ])
    expect([...files].filter((name) => !name.startsWith('examples/'))).to.deep.equal([])
    expect(errors.join('\n')).to.include(`'title' does not exist in type`)
  }).timeout(300_000)
})

describe('npm run example:live', () => {
  const parts = ['app', 'clients', 'examples', 'plugins', 'resources', 'scripts', 'package.json', 'tsconfig.json']
  let copy: string
  before(() => {
    copy = copyProject(parts, (file) => !file.endsWith('.test.ts'))
  })
  after(() => rmSync(copy, { recursive: true }))

  it('starts when app/plugins.ts lists its plugins', async () => {
    const file = join(copy, 'app/plugins.ts')
    const listed = readFileSync(file, 'utf8').replace(
      /^( *)\/\/ (?=.*\b(?:changeLog|live)\b)(?=import|\w+\(\))/gm,
      '$1',
    )
    expect(listed)
      .to.match(/^ {2}changeLog\(\),$/m)
      .and.to.match(/^ {2}live\(\),$/m)
    writeFileSync(file, listed)
    const args = ['--no-warnings', 'examples/live/serve.ts', '--port', '0', '--service-port', '0']
    const child = spawn(process.execPath, args, {
      cwd: copy,
      env: { PATH: process.env.PATH, ...compiledCode(copy), ...unset() },
    })
    try {
      const output = createInterface({ input: child.stdout })
      const errors = child.stderr.setEncoding('utf8').toArray()
      const [line] = await Promise.race([once(output, 'line'), once(output, 'close')])
      expect(line, line ?? (await errors).join('')).to.match(/shows the albums of/)
    } finally {
      child.kill('SIGKILL')
    }
  })
})
