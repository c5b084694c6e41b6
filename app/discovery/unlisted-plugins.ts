import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DisabledPlugin } from '#kernel/store'

/** Loads `needed-by.ts` of the plugins that have a folder in `plugins/` but are not in the list. */
export async function unlistedPlugins(
  root: string,
  listed: readonly { readonly name: string }[],
): Promise<DisabledPlugin[]> {
  const directory = join(root, 'plugins')
  const folders = existsSync(directory) ? (await readdir(directory)).sort() : []
  const names = folders.filter(
    (folder) => !listed.some(({ name }) => name === folder) && existsSync(join(directory, folder, 'needed-by.ts')),
  )
  return Promise.all(
    names.map(async (name) => {
      const { neededBy } = await import(pathToFileURL(join(directory, name, 'needed-by.ts')).href)
      return { name, neededBy }
    }),
  )
}
