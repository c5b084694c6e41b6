import { existsSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { type Page, readPage } from './markdown.ts'

/** Returns the links of the pages whose file or heading does not exist. Of external links only the syntax is checked. */
export function deadLinks(root: string, pages: readonly Page[]): string[] {
  const anchors = new Map(pages.map((page) => [page.file, listAnchors(page)]))
  const anchorsIn = (file: string) => anchors.get(file) ?? listAnchors(readPage(root, file))
  return pages.flatMap(({ file, links }) =>
    links.flatMap((link) => {
      const fault = /^[a-z][a-z0-9+.-]*:/i.test(link) ? faultOfUrl(link) : faultOfPath(root, file, link, anchorsIn)
      return fault ? [`${file}: ${link} ${fault}`] : []
    }),
  )
}

function listAnchors({ headings }: Page): ReadonlySet<string> {
  return new Set(headings.map(({ anchor }) => anchor))
}

function faultOfUrl(link: string): string | null {
  if (link.startsWith('mailto:')) return null
  return /^https?:/.test(link) && URL.canParse(link) && !/\s/.test(link) ? null : 'is not a URL'
}

function faultOfPath(
  root: string,
  file: string,
  link: string,
  anchorsIn: (file: string) => ReadonlySet<string>,
): string | null {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? file : normalize(join(dirname(file), decodeURI(path)))
  if (target.startsWith('..')) return 'is outside of the project'
  if (path !== '' && !existsSync(resolve(root, target))) return 'does not exist'
  if (anchor === undefined) return null
  if (!target.endsWith('.md')) return 'has no headings'
  return anchorsIn(target).has(anchor) ? null : `has no heading #${anchor}`
}
