import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'

const snippet = /<!-- (\S+) -->\n```\w+\n([\s\S]*?)```/g
const part = /<!-- part of (\S+) -->\n *```ts\n([\s\S]*?)```/g

describe('README', () => {
  it('shows files unchanged', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    const shown = [...readme.matchAll(snippet)]
    expect(shown).to.have.length(readme.split('<!-- ').length - 1)
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
    const texts = await textsIn('docs', 'docs/how-to')
    const shown = texts.flatMap((text) => [...text.matchAll(part)])
    expect(shown).not.to.be.empty
    for (const [, file, code] of shown) {
      expect(flat(await readFile(join(root, file as string), 'utf8'))).to.include(flat(code as string))
    }
  })

  it('show whole files unchanged', async () => {
    const shown = (await textsIn('docs/how-to')).flatMap((text) => [...text.matchAll(snippet)])
    for (const [, file, code] of shown) {
      expect(code, file).to.equal(await readFile(join(root, file as string), 'utf8'))
    }
  })
})

async function textsIn(...folders: readonly string[]): Promise<string[]> {
  const files = folders.map(async (folder) => {
    const guides = (await readdir(join(root, folder))).filter((file) => file.endsWith('.md'))
    return guides.map((file) => readFile(join(root, folder, file), 'utf8'))
  })
  return Promise.all((await Promise.all(files)).flat())
}

function flat(code: string): string {
  return code.replace(/^\s+|\s+$/gm, '')
}
