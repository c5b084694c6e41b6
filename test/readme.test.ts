import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from './support/app.ts'

const snippet = /<!-- (\S+) -->\n```ts\n([\s\S]*?)```/g
const part = /<!-- part of (\S+) -->\n *```ts\n([\s\S]*?)```/g

describe('README', () => {
  it('shows files unchanged', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    const shown = [...readme.matchAll(snippet)]
    expect(shown).not.to.be.empty
    for (const [, file, code] of shown) expect(code).to.equal(await readFile(join(root, file as string), 'utf8'))
  })
})

describe('docs/features.md', () => {
  it('lists every plugin of app/plugins.ts in its order', async () => {
    const page = await readFile(join(root, 'docs/features.md'), 'utf8')
    const { plugins } = await import('#app/plugins.ts')
    const listed = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name)
    expect(listed).to.deep.equal(plugins.map(({ name }) => name))
  })
})

describe('Guides in docs', () => {
  it('show parts of files unchanged except for the indentation', async () => {
    const guides = (await readdir(join(root, 'docs'))).filter((file) => file.endsWith('.md'))
    const texts = await Promise.all(guides.map((file) => readFile(join(root, 'docs', file), 'utf8')))
    const shown = texts.flatMap((text) => [...text.matchAll(part)])
    expect(shown).not.to.be.empty
    for (const [, file, code] of shown) {
      expect(flat(await readFile(join(root, file as string), 'utf8'))).to.include(flat(code as string))
    }
  })
})

function flat(code: string): string {
  return code.replace(/^\s+|\s+$/gm, '')
}
