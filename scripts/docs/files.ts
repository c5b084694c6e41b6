import { globSync } from 'node:fs'

/** Returns the Markdown files of the project, without those of installed packages and generated sites. */
export function markdownFiles(root: string): string[] {
  const files = globSync(
    ['*.md', '{app,clients,deploy,docs,examples,plugins,resources,scripts,test,.template}/**/*.md'],
    {
      cwd: root,
      exclude: (path) => /(?:^|\/)(?:node_modules|generated)$/.test(path),
    },
  )
  return files.toSorted()
}
