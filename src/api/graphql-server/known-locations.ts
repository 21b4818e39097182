import { DirectiveLocation, GraphQLDirective, GraphQLSchema } from 'graphql';

/**
 * Leaves out the location that introspection lists since graphql-js 16.12. Clients that are built on an older one, or on
 * graphql-core, cannot read a schema with a location that they do not know.
 */
export function withKnownLocations(schema: GraphQLSchema): GraphQLSchema {
  const directives = schema.getDirectives().map((directive) => {
    const locations = directive.locations.filter((location) => location !== DirectiveLocation.DIRECTIVE_DEFINITION);
    return locations.length === directive.locations.length
      ? directive
      : new GraphQLDirective({ ...directive.toConfig(), locations });
  });
  return new GraphQLSchema({ ...schema.toConfig(), directives });
}
