import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DisabledPlugin } from '#kernel/store'

/** Loads the plugins that have a folder in `plugins/` but are not in the list: `needed-by.ts`, modifiers and keys. */
export async function unlistedPlugins(
  root: string,
  listed: readonly { readonly name: string }[],
): Promise<DisabledPlugin[]> {
  const directory = join(root, 'plugins')
  const folders = existsSync(directory) ? (await readdir(directory)).sort() : []
  const names = folders.filter((folder) => !listed.some(({ name }) => name === folder))
  return Promise.all(
    names.map(async (name) => {
      const { neededBy } = await importFrom(join(directory, name, 'needed-by.ts'))
      const { modifiers = {}, keys = {} } = await createUnlisted(join(directory, name, 'index.ts'), name)
      return { name, modifiers, keys, neededBy } as DisabledPlugin
    }),
  )
}

/**
 * Creates the plugin by the function that is named like its folder, in camel case. Returns an empty object if that fails:
 * a plugin that is not listed may be unfinished, or need options.
 */
async function createUnlisted(file: string, name: string): Promise<Partial<DisabledPlugin>> {
  try {
    const create = (await importFrom(file))[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    return typeof create === 'function' ? create({}) : {}
  } catch {
    return {}
  }
}

async function importFrom(file: string): Promise<Record<string, unknown>> {
  return existsSync(file) ? import(pathToFileURL(file).href) : {}
}
