import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readSnapshot, type Snapshot } from './snapshot.ts'

const command = 'scripts/demo-remove.ts'
const removal = 'scripts/demo/removal.ts'

/** The exports of the file. An import of it would make npm run demo:remove remove this file with the demo. */
interface DemoRemoval {
  planRemoval(root: string): object
  writeRemoval(root: string, removal: object): void
}

/** Removes the demo from both versions, if it is removed from the project: each by its own code, if it has the file. */
export async function removeDemo(project: string, base: Snapshot, target: Snapshot): Promise<[Snapshot, Snapshot]> {
  const isRemoved = base.files.has(command) && !existsSync(join(project, command))
  if (!isRemoved || !target.files.has(removal)) return [base, target]
  for (const version of [base, target]) {
    const { folder } = version.files.has(removal) ? version : target
    const demo: DemoRemoval = await import(pathToFileURL(join(folder, removal)).href)
    demo.writeRemoval(version.folder, demo.planRemoval(version.folder))
  }
  return [readSnapshot(base.folder, base.commit), readSnapshot(target.folder, target.commit)]
}
