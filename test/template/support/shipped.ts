import { plugins } from '#app/plugins.ts'
import { root } from '#test/support/app.ts'
import { readManifest } from '../../../scripts/manifest/manifest.ts'
import { readOwnership } from '../../../scripts/manifest/ownership.ts'

// Rules about the sources of the template (names, sizes, imports, documentation) do not apply to files of a project: its
// resources, its files in app/, and plugins that the template does not ship.

const isOfTemplate = readOwnership(root)
const folders = new Set(Object.keys(readManifest(root)?.files ?? {}).flatMap((file) => pluginIn(file) ?? []))

/** Whether a file is part of the template. A new file in a folder of the template is, a new plugin after its release. */
export function isShipped(file: string): boolean {
  const plugin = pluginIn(file)
  return isOfTemplate(file) && (plugin === undefined || folders.has(plugin))
}

/** The listed plugins that the template ships. */
export const shippedPlugins = plugins.filter(({ name }) => folders.has(name))

function pluginIn(file: string): string | undefined {
  return /^plugins\/([^/]+)\//.exec(file)?.[1]
}
