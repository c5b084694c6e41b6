import { existsSync } from 'node:fs'
import { expect } from 'chai'
import { type Browser, chromium, type Page } from 'playwright-core'

/** The browser of Debian, or the one in CHROMIUM. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

export const desktop = { width: 1280, height: 900 }
export const phone = { width: 390, height: 844 }

/** A page with everything that it logs and the origins that it sends requests to. */
export interface ObservedPage {
  readonly page: Page
  readonly problems: readonly string[]
  readonly origins: ReadonlySet<string>
}

export function launchBrowser(): Promise<Browser> {
  expect(existsSync(executablePath), `${executablePath} is installed`).to.equal(true)
  return chromium.launch({ executablePath, headless: true })
}

export async function openPage(browser: Browser, viewport = desktop): Promise<ObservedPage> {
  const problems: string[] = []
  const origins = new Set<string>()
  const page = await browser.newPage({ viewport })
  page.setDefaultTimeout(150_000)
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin)
  })
  return { page, problems, origins }
}

/** Returns by how many pixels the page is wider than the window. */
export function measureOverflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
}
