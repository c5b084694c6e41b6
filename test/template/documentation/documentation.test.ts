import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { scalarKinds } from '#app/kernel/schema/field.ts'
import { declarationKeys } from '#kernel/plugin'
import { root } from '#test/support/app.ts'
import { readGuides } from '#test/template/support/guides.ts'
import { shippedPlugins } from '#test/template/support/shipped.ts'
import { configurationMarkdown } from '../../../scripts/support/configuration-markdown.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const guides = readGuides()

describe('Documentation', () => {
  it('has an example for every builder and modifier', () => {
    const names = [
      ...scalarKinds,
      ...methodsIn('app/kernel/schema/builders.ts'),
      ...methodsIn('app/kernel/schema/modifiers.ts'),
      ...methodsIn('plugins/filtering/declare/builder-types.ts'),
      ...shippedPlugins.flatMap(({ modifiers: { attribute = {}, relation = {} } = {} }) =>
        Object.keys({ ...attribute, ...relation }),
      ),
    ]
    expect(names).to.include.members(['storedAs', 'maxLength', 'whereThrough', 'singular', 'countable'])
    const shown = new Set(guides.flatMap(({ text }) => [...text.matchAll(/\b(\w+)\(/g)].map(([, word]) => word)))
    expect([...new Set(names)].filter((name) => !shown.has(name))).to.deep.equal([])
  })

  it('names every key of declarations and servers', () => {
    const keys = [...declarationKeys, ...shippedPlugins.flatMap((plugin) => Object.keys(plugin.keys ?? {}))]
    const textOf = (name: string) => guides.find(({ file }) => file === name)?.text ?? ''
    const isShown = (key: string) => {
      const [guide, name] = key.startsWith('server.') ? ['servers.md', key.slice(7)] : ['resources.md', key]
      return new RegExp(`\`${name}[\`:]`).test(textOf(guide as string))
    }
    expect(keys.filter((key) => !isShown(key))).to.deep.equal([])
  })
})

describe('docs/configuration.md', () => {
  it('lists every variable with its default (npm run docs -- configuration)', () => {
    expect(read('docs/configuration.md')).to.equal(configurationMarkdown(read('.env.example')))
  })
})

function methodsIn(file: string): string[] {
  return [...read(file).matchAll(/^ {2}(?:readonly )?(\w+)(?:<.*>)?(?:\(|: (?:PropertyFilter|PresentFilter))/gm)].map(
    ([, word = '']) => word,
  )
}
