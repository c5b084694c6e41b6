import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { deadLinks } from '../scripts/docs/dead-links.ts'
import { markdownFiles } from '../scripts/docs/files.ts'
import { parsePage, readPage } from '../scripts/docs/markdown.ts'
import { projectApp, root } from './support/app.ts'

// No link leads nowhere: in Markdown files, in sources, in error documents, in served pages.

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
  it('name existing sources', () => {
    const missing = pages.flatMap(({ file }) => {
      if (/^(?:CHANGELOG|docs\/decisions)/.test(file)) return []
      const text = readFileSync(join(root, file), 'utf8')
      const named = text.match(/(?<=`)(?:app|plugins|scripts|deploy)\/[\w./-]+\.(?:ts|cfg|json)(?=`)/g) ?? []
      return named.filter((path) => !existsSync(join(root, path))).map((path) => `${file}: ${path}`)
    })
    expect(missing).to.deep.equal([])
  })
})

describe('Links of the service', () => {
  it('lead from an error document to the entry of its code', async () => {
    const { app, client } = await projectApp()
    const [segment] = app.servers.find(({ name }) => name === 'default')?.typesBySegment.keys() ?? []
    const { body } = await client.send('POST', `/${segment}`, { body: '{}', headers: { 'content-type': 'text/plain' } })
    const [{ code, links }] = body.errors
    const { status, text } = await client.get(links.type, { accept: 'text/html' })
    expect(status).to.equal(200)
    expect(text).to.include(`id="${code}"`)
    expect(new URL(links.type).hash).to.equal(`#${code}`)
  })

  it('lead to an entry of /errors and of docs/errors.md for every code', async () => {
    const { app, client } = await projectApp()
    const { text } = await client.get('/errors', { accept: 'text/html' })
    const anchors = new Set(readPage(root, 'docs/errors.md').headings.map(({ anchor }) => anchor))
    const codes = app.errors.map(({ code }) => code)
    expect(codes).to.include('RESOURCE_NOT_FOUND')
    expect(codes.filter((code) => !text.includes(`<h2 id="${code}">`))).to.deep.equal([])
    expect(codes.filter((code) => !anchors.has(code.toLowerCase()))).to.deep.equal([])
  })

  it('lead from the pages / and /errors to URLs that answer and headings that exist', async () => {
    const { client } = await projectApp()
    const seen = new Map<string, string>()
    const read = async (path: string) => {
      const text = seen.get(path) ?? (await follow(client.url, path))
      seen.set(path, text)
      return text
    }
    for (const page of ['/', '/errors']) {
      for (const [, href = ''] of (await read(page)).matchAll(/<a href="([^"]*)"/g)) {
        const { origin, pathname, search, hash } = new URL(href.replaceAll('&amp;', '&'), client.url + page)
        if (origin !== client.url) continue
        const text = await read(pathname + search)
        if (hash) expect(text, href).to.include(`id="${hash.slice(1)}"`)
      }
    }
    expect(seen.size).to.be.greaterThan(3)
  })
})

async function follow(url: string, path: string): Promise<string> {
  const response = await fetch(url + path, { headers: { accept: 'text/html, */*;q=0.1' } })
  expect(response.status, path).to.be.oneOf([200, 401, 403])
  return response.text()
}
