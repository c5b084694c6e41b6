import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { readGuide, readGuides } from '#test/template/support/guides.ts'

const recipes = readGuides('how-to').filter(({ file }) => file !== 'how-to/index.md')
const nameOf = (file: string) => basename(file, '.md')

describe('Recipes in docs/how-to', () => {
  it('are executed by a test each', () => {
    const untested = recipes.filter(({ file }) => {
      const name = nameOf(file)
      return !existsSync(join(root, `test/template/how-to/${name}/${name}.test.ts`))
    })
    expect(untested.map(({ file }) => file)).to.deep.equal([])
  })

  it('are listed in docs/how-to/index.md', () => {
    const { text } = readGuide('how-to/index.md')
    const listed = [...text.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, file]) => `how-to/${file}`)
    expect(listed).to.have.members(recipes.map(({ file }) => file))
  })

  it('have a question as title and links to reference pages', () => {
    for (const { file, text } of recipes) {
      expect(text, file).to.match(/^# How do I .+\?\n/)
      expect(text, file).to.match(/\]\(\.\.\/[\w-]+\.md/)
    }
  })

  it('contain only TypeScript that is a file, or a part of a file, of their test', () => {
    const unmarked = recipes.flatMap(({ file, text }) => {
      const mark = new RegExp(`<!-- (?:part of )?(?:test/template/how-to/${nameOf(file)}/|app/|plugins/)\\S+ -->`)
      return [...text.matchAll(/(.*)\n *```ts\n(.*)/g)].flatMap(([, above = '', line = '']) =>
        mark.test(above) ? [] : [`${file}: ${line}`],
      )
    })
    expect(unmarked).to.deep.equal([])
  })

  it('link to existing files', () => {
    const broken = readGuides('how-to').flatMap(({ file, text }) =>
      [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].flatMap(([, target = '']) =>
        existsSync(join(root, 'docs/how-to', target)) ? [] : [`${file} → ${target}`],
      ),
    )
    expect(broken).to.deep.equal([])
  })
})
