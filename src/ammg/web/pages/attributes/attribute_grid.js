// All attributes in rows that are edited in place. The cells belong to one component: templates that a page hands to
// a table are mounted anew by every answer of the server, and what somebody types at that moment would be lost.
export default {
  template: `
    <q-table :rows="rows" :columns="heads" row-key="name" :pagination="{ rowsPerPage: 0 }" flat bordered dense hide-bottom
      virtual-scroll :virtual-scroll-item-size="54" table-style="max-height: 34rem" aria-label="Attributes">
      <template #body-cell-name="cell">
        <q-td :props="cell">
          <div class="ammg-attribute">{{ cell.row.name }}</div>
          <div class="ammg-quiet ammg-reason" :title="cell.row.reason">{{ cell.row.reason }}</div>
        </q-td>
      </template>
      <template v-for="(options, field) in choices" v-slot:[place(field)]="cell">
        <q-td :props="cell">
          <select class="ammg-select" :value="cell.row[field]" :aria-label="cell.col.label + ' of ' + cell.row.name"
            @change="edited(cell.row, field, $event.target.value)">
            <option v-for="one in options" :key="one" :value="one">{{ one }}</option>
          </select>
        </q-td>
      </template>
      <template #body-cell-label="cell">
        <q-td :props="cell">
          <input class="ammg-input" :value="cell.row.label" :aria-label="'Label of ' + cell.row.name"
            @input="cell.row.label = $event.target.value" @change="edited(cell.row, 'label', $event.target.value)">
        </q-td>
      </template>
      <template #body-cell-link="cell">
        <q-td :props="cell">
          <input class="ammg-input" :value="cell.row.link" :aria-label="'Attribute followed of ' + cell.row.name"
            list="ammg-names" @input="cell.row.link = $event.target.value"
            @change="edited(cell.row, 'link', $event.target.value)">
        </q-td>
      </template>
      <template #body-cell-bars="cell">
        <q-td :props="cell">
          <svg class="ammg-bars" viewBox="0 0 120 28" preserveAspectRatio="none" role="img"
            :aria-label="cell.row.words">
            <title>{{ cell.row.words }}</title>
            <rect v-for="(bar, n) in cell.row.bars" :key="n" :x="n * 120 / cell.row.bars.length" :y="28 - bar"
              :width="Math.max(0.6, 120 / cell.row.bars.length - 0.8)" :height="bar"></rect>
          </svg>
        </q-td>
      </template>
    </q-table>
  `,
  props: { rows: Array, columns: Array, choices: Object },
  computed: {
    heads() {
      const number = (value) => value.toLocaleString("en");
      return this.columns.map((one) => (one.align === "right" ? { ...one, format: number } : one));
    },
  },
  methods: {
    place: (field) => `body-cell-${field}`,
    edited(row, field, value) {
      row[field] = value;
      this.$emit("edit", { name: row.name, field, value });
    },
  },
};
