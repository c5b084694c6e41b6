import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Dependencies = Readonly<Record<string, string>>

/** Removes the dependencies that only removed files name, and the packages with their types. */
export function withoutUnusedPackages(
  manifest: Readonly<Record<string, unknown>>,
  root: string,
  gone: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const groups = ['dependencies', 'devDependencies'] as const
  const all = groups.flatMap((group) => Object.keys((manifest[group] ?? {}) as Dependencies))
  const unused = findUnused(root, all, gone)
  const isUsed = (name: string) => !unused.has(name) && !unused.has(packageOfTypes(name))
  const filter = (names: Dependencies) => Object.fromEntries(Object.entries(names).filter(([name]) => isUsed(name)))
  const changed = groups.map((group) => [group, filter((manifest[group] ?? {}) as Dependencies)] as const)
  return { ...manifest, ...Object.fromEntries(changed) }
}

/** Sources import a package, resolve a file of it, or run one in node_modules. */
function findUnused(root: string, packages: readonly string[], gone: ReadonlySet<string>): Set<string> {
  const files = globSync('{*,{app,examples,plugins,resources,scripts,test}/**/*}.{ts,js,cjs,mjs}', {
    cwd: root,
  })
  const textOf = (isRead: (file: string) => boolean) =>
    files
      .filter((file) => !file.includes('node_modules') && isRead(file))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n')
  const removed = textOf((file) => gone.has(file))
  const left = textOf((file) => !gone.has(file))
  const isNamed = (text: string, name: string) =>
    new RegExp(`(?:\\b(?:from|import|resolve)[ (]*'|node_modules/)${name.replaceAll('.', '\\.')}['/]`).test(text)
  return new Set(packages.filter((name) => isNamed(removed, name) && !isNamed(left, name)))
}

/** `@types/koa__cors` has the types of `@koa/cors`. */
function packageOfTypes(name: string): string {
  const [, words = ''] = /^@types\/(.+)$/.exec(name) ?? []
  return words.includes('__') ? `@${words.replace('__', '/')}` : words
}
