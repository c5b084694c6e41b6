import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'

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
