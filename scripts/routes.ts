import { namedRoutes } from '#routes'
import { readArguments } from './support/arguments.ts'
import { withApp } from './support/project.ts'
import { formatTable } from './support/table.ts'

readArguments({ usage: 'npm run routes\n\nPrints every route of every server. OPTIONS works on all of them.' })

await withApp((app) => {
  const rows = namedRoutes(app).map(({ methods, path, name }) => [methods.join(', '), path, name])
  console.log(formatTable([['METHODS', 'PATH', 'NAME'], ...rows]))
})
