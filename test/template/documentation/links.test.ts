import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { errorCatalogue } from '#app/kernel/boot/error-catalogue.ts'
import { plugins } from '#app/plugins.ts'
import { httpErrors } from '#http'
import { root } from '#test/support/app.ts'
import { deadLinks } from '../../../scripts/docs/dead-links.ts'
import { markdownFiles } from '../../../scripts/docs/files.ts'
import { parsePage, readPage } from '../../../scripts/docs/markdown.ts'

// Links of error documents and served pages are followed by the tests of the plugins error-mapping and home.

const pages = markdownFiles(root).map((file) => readPage(root, file))

describe('Links of Markdown files', () => {
  it('lead to existing files and headings', () => {
    expect(pages.map(({ file }) => file)).to.include.members(['README.md', 'CHANGELOG.md', 'docs/errors.md'])
    expect(deadLinks(root, pages)).to.deep.equal([])
  })

  it('are reported when the file, the heading or the syntax of the URL is wrong', () => {
    const links = ['missing.md', 'errors.md#no-such-code', '#here', '../../outside.md', 'https://exa mple', 'errors.md']
    const page = parsePage('docs/page.md', `# Here it is\n${links.map((link) => `[x](<${link}>)`).join('\n')}`)
    expect(deadLinks(root, [page])).to.deep.equal([
      'docs/page.md: missing.md does not exist',
      'docs/page.md: errors.md#no-such-code has no heading #no-such-code',
      'docs/page.md: #here has no heading #here',
      'docs/page.md: ../../outside.md is outside of the project',
      'docs/page.md: https://exa mple is not a URL',
    ])
  })

  it('use the anchors that GitHub builds', () => {
    const { headings } = parsePage('x.md', '# `a_b` & **C**: d\n## One\n## One\n## Über (x/y)')
    expect(headings.map(({ anchor }) => anchor)).to.deep.equal(['a_b--c-d', 'one', 'one-1', 'über-xy'])
  })

  it('reach every page from docs/index.md, or from the index of its folder', () => {
    const linked = new Set(
      pages
        .filter(({ file }) => /(?:^|\/)index\.md$/.test(file))
        .flatMap(({ file, links }) => links.map((link) => new URL(link, `file:///${file}`).pathname.slice(1))),
    )
    const isLinked = (file: string) => linked.has(file) || linked.has(file.replace(/\/[^/]+$/, ''))
    const reached = pages.map(({ file }) => file).filter((file) => /^(?:docs\/.*|[^/]+)$/.test(file))
    expect(reached.filter((file) => file !== 'docs/index.md' && !isLinked(file))).to.deep.equal([])
  })
})

describe('Headings of Markdown files', () => {
  it('skip no level', () => {
    const skipped = pages.flatMap(({ file, headings }) =>
      headings
        .filter(({ depth }, index) => depth > (headings[index - 1]?.depth ?? 0) + 1)
        .map(({ text }) => `${file}: ${text}`),
    )
    expect(skipped).to.deep.equal([])
  })
})

describe('Sources and settings', () => {
  it('name existing pages and headings', () => {
    const files = globSync(
      ['{app,plugins,resources,scripts,deploy}/**/*.{ts,cfg,ini}', '.env.example', 'compose.yaml', 'Dockerfile'],
      { cwd: root },
    )
    const dead = files.flatMap((file) => {
      const named = readFileSync(join(root, file), 'utf8').match(/(?<![\w/])docs\/[\w./-]*\.md(?:#[\w-]+)?/g) ?? []
      return deadLinks(root, [parsePage('named.md', named.map((link) => `[x](${link})`).join('\n'))])
    })
    expect(dead).to.deep.equal([])
  })
})

describe('Pages', () => {
  it('name existing sources, except those of deleted plugins', () => {
    const missing = pages.flatMap(({ file }) => {
      if (/^(?:CHANGELOG|docs\/decisions|docs\/how-to|docs\/tracing)/.test(file)) return [] // history, and files to create
      const text = readFileSync(join(root, file), 'utf8')
      const named = text.match(/(?<=`)(?:app|plugins|scripts|deploy)\/[\w./-]+\.(?:ts|cfg|json)(?=`)/g) ?? []
      return named.filter((path) => !existsSync(join(root, path)) && !isDeleted(path)).map((path) => `${file}: ${path}`)
    })
    expect(missing).to.deep.equal([])
  })
})

describe('docs/errors.md', () => {
  it('has a heading for every error code', () => {
    const anchors = new Set(readPage(root, 'docs/errors.md').headings.map(({ anchor }) => anchor))
    const codes = errorCatalogue([{ errors: httpErrors }, ...plugins]).map(({ code }) => code)
    expect(codes.filter((code) => !anchors.has(code.toLowerCase()))).to.deep.equal([])
  })
})

/** Whether the folder of a plugin is deleted. */
function isDeleted(path: string): boolean {
  const [folder = '', name = ''] = path.split('/')
  return folder === 'plugins' && !existsSync(join(root, folder, name))
}
