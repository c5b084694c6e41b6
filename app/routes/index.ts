export { buildRouteName, namedRoutes, routeName } from './route-names.ts'
