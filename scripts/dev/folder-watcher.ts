import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'

interface WatchedFolder {
  readonly identity: string
  readonly watcher: FSWatcher
}

const isSource = (name: string) => /\.(?:ts|json|sql)$/.test(name) && !/\.test\.ts$/.test(name)

/**
 * Calls the function with each changed source file below the folders, and with each changed file of the list. Watches
 * folders instead of files: a file that is saved by rename has another inode, and a new file has none before.
 */
export function createFolderWatcher(
  { folders, files }: { readonly folders: readonly string[]; readonly files: readonly string[] },
  onChange: (path: string) => void,
): { close(): void } {
  const watched = new Map<string, WatchedFolder>()
  const fileWatchers = files.map((file) =>
    watch(dirname(file), (_, name) => {
      if (name === basename(file)) onChange(file)
    }),
  )
  scan()

  /** Watches new folders and stops watching removed ones. Returns the new folders. */
  function scan(): string[] {
    const present = new Map(folders.flatMap(foldersBelow))
    for (const [folder, { identity, watcher }] of watched) {
      if (present.get(folder) === identity) continue
      watcher.close()
      watched.delete(folder)
    }
    const added = [...present].filter(([folder]) => !watched.has(folder))
    for (const [folder, identity] of added) watched.set(folder, { identity, watcher: watchFolder(folder) })
    return added.map(([folder]) => folder)
  }

  function watchFolder(folder: string): FSWatcher {
    const watcher = watch(folder, (event, name) => {
      // Files that were created before their folder was watched send no event.
      const added = event === 'rename' ? scan() : []
      if (name !== null && (isSource(name) || added.length > 0)) onChange(join(folder, name))
    })
    return watcher.on('error', () => scan()) // the folder was removed
  }

  return {
    close() {
      for (const watcher of [...fileWatchers, ...[...watched.values()].map(({ watcher }) => watcher)]) watcher.close()
    },
  }
}

/** Returns the folder and all folders in it; none if it does not exist. Its identity is new if it was created again. */
function foldersBelow(folder: string): [folder: string, identity: string][] {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) return []
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return [
    [folder, `${stats.ino} ${stats.birthtimeMs}`],
    ...entries.flatMap(({ name }) => foldersBelow(join(folder, name))),
  ]
}
