import type { AddressInfo } from 'node:net'
import { dirname, join, normalize } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { markdownFiles } from '../../../scripts/docs/files.ts'
import { serveSite } from '../../../scripts/docs/serve.ts'
import { buildSite } from '../../../scripts/docs/site.ts'

describe('npm run docs -- serve', () => {
  const site = buildSite(root)

  it('builds a page for every Markdown file', () => {
    const missing = markdownFiles(root).filter((file) => !site.has(file.replace(/\.md$/, '.html')))
    expect(missing).to.deep.equal([])
  })

  it('builds only links, images and anchors that lead to a page of the site', () => {
    const dead = [...site].flatMap(([path, html]) =>
      path.endsWith('.html')
        ? readLinks(html).flatMap((link) => (leadsToPage(site, path, link) ? [] : [`${path}: ${link}`]))
        : [],
    )
    expect(dead).to.deep.equal([])
  })

  it('shows the sections of docs/index.md as navigation, with the current page marked', () => {
    const html = site.get('docs/errors.html') ?? ''
    const [, navigation = ''] = /<nav[^>]*>([\s\S]*?)<\/nav>/.exec(html) ?? []
    expect([...navigation.matchAll(/<h2>([^<]+)/g)].map(([, title]) => title)).to.include.members([
      'Start',
      'Reference',
    ])
    expect(navigation).to.include('<a href="../docs/errors.html" aria-current="page">Error codes</a>')
  })

  it('begins with the name of the project, what it is, and three commands', () => {
    const [, main = ''] = /<main[^>]*>([\s\S]*?)<h2/.exec(site.get('docs/index.html') ?? '') ?? []
    expect(main).to.match(/^\s*<h1[^>]*>Koa JSON:API template <a/)
    const [, commands = ''] = /<pre tabindex="0"><code[^>]*>([\s\S]*?)<\/code>/.exec(main) ?? []
    expect(commands.trim().split('\n')).to.have.length(3)
    expect(site.get('docs/errors.html')).to.include('<title>Error codes – Koa JSON:API template</title>')
  })

  it('has a page for other addresses, with the navigation and the search', () => {
    const page = site.get('404.html') ?? ''
    expect(page).to.include('<h1>Page not found</h1>').and.to.include('<a href="/docs/getting-started.html">')
    expect(page).to.include('src="/search.js"').and.to.include('data-base=""')
  })

  it('has links in the page for other addresses that begin with the path of the site on its host', () => {
    const links = readLinks(buildSite(root, '/project/docs').get('404.html') ?? '')
    const outside = links.filter((link) => !/^(?:#|data:|\/project\/docs\/)/.test(link))
    expect(links).to.have.length.greaterThan(10)
    expect(outside).to.deep.equal([])
  })

  it('finds a heading and its text in the search index', () => {
    const { searchIndex } = readIndex(site.get('search-index.js') ?? '')
    expect(searchIndex.find(([, , url]) => url === 'docs/errors.html#resource_not_found')).to.include.members([
      'Error codes',
      'RESOURCE_NOT_FOUND',
    ])
  })

  it('serves pages, styles and images, and returns 404 for other paths', async () => {
    const server = await serveSite(() => site, 0)
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const answers = await Promise.all(
      ['/', '/docs/', '/style.css', '/search.js', '/docs/images/architecture.svg', '/../package.json'].map(
        async (path) => {
          const response = await fetch(url + path)
          return [response.status, response.headers.get('content-type')]
        },
      ),
    )
    server.closeAllConnections()
    server.close()
    expect(answers).to.deep.equal([
      [200, 'text/html; charset=utf-8'],
      [200, 'text/html; charset=utf-8'],
      [200, 'text/css; charset=utf-8'],
      [200, 'text/javascript; charset=utf-8'],
      [200, 'image/svg+xml'],
      [404, 'text/html; charset=utf-8'],
    ])
  })
})

function readLinks(html: string): string[] {
  return [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link = '']) => link)
}

function leadsToPage(site: ReadonlyMap<string, string>, path: string, link: string): boolean {
  if (/^[a-z]+:/.test(link)) return true
  const [target = '', anchor] = link.split('#')
  const file = target.startsWith('/') ? target.slice(1) : normalize(join(dirname(path), target))
  const page = site.get(target === '' ? path : file)
  return page !== undefined && (anchor === undefined || page.includes(`id="${anchor}"`))
}

function readIndex(script: string): { searchIndex: readonly (readonly string[])[] } {
  return { searchIndex: JSON.parse(script.replace(/^globalThis.searchIndex = /, '')) }
}
