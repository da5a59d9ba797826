/** What makes queries that are written for SQLite mean the same on PostgreSQL. */
import {
  type ColumnDefinitionNode,
  DataTypeNode,
  GeneratedNode,
  HandleEmptyInListsPlugin,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  RawNode,
  type RootOperationNode,
  replaceWithNoncontingentExpression,
} from "kysely";

export const postgresPlugins = (): KyselyPlugin[] => [
  new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression }),
  { transformQuery: columns, transformResult: async ({ result }) => result },
];

const columns = ({ node }: PluginTransformQueryArgs): RootOperationNode =>
  new Columns().transformNode(node);

/** Whole numbers have 64 bits, primary keys of them count up by themselves, and texts are compared by their bytes. */
class Columns extends OperationNodeTransformer {
  protected override transformColumnDefinition(node: ColumnDefinitionNode): ColumnDefinitionNode {
    const definition = super.transformColumnDefinition(node);
    const { dataType, primaryKey, autoIncrement } = definition;
    if (!DataTypeNode.is(dataType)) return definition;
    if (dataType.dataType === "text") {
      return { ...definition, dataType: RawNode.createWithSql('text COLLATE "C"') };
    }
    if (dataType.dataType !== "integer") return definition;
    const whole = { ...definition, dataType: DataTypeNode.create("bigint"), autoIncrement: false };
    if (!primaryKey && !autoIncrement) return whole;
    return { ...whole, generated: GeneratedNode.create({ identity: true, byDefault: true }) };
  }
}
