package tableexpert_test

import (
	"testing"

	"rialto/cmd/rialto/internal/tableexpert"
)

// fields are tables as people of several trades export them.
var fields = map[string]string{
	"plants.csv":      "plant,built\nP1,1990\nP2,2010\n",
	"departments.csv": "Department ID,Department Name,Location\nD1,Engineering,Berlin\nD2,Sales,Madrid\nD3,Legal,Paris\n",
	"employees.csv": "Employee ID,First Name,Last Name,Department ID,Job Title,Hire Date,Date of Birth,Gender,Salary (EUR),Remote,Manager ID,Termination Date\n" +
		"E1,Anna,Lee,D1,Manager,2015-03-01,1970-05-05,Female,90000,Yes,,\nE2,Ben,Fox,D1,Engineer,2025-02-01,1999-01-02,Male,50000,No,E1,2026-02-01\n" +
		"E3,Eva,Lee,D2,Manager,2020-07-01,1960-11-30,Female,80000,No,E1,\nE4,Joe,Ray,D2,Analyst,2026-01-15,2001-04-04,Male,70000,Yes,E3,\n",
	"absences.csv":  "Absence ID,Employee ID,Type,Start Date\nA1,E1,Vacation,2025-08-01\nA2,E1,Sick leave,2026-08-01\nA3,E2,Vacation,2026-08-01\n",
	"customers.csv": "customer_id,full_name,city,created_at,newsletter,nickname\n1,Ann Lee,Berlin,2024-01-01,yes,Nan\n2,Bo Fox,New York,2025-02-02,no,Boo\n3,Ann Fox,Berlin,2026-03-03,no,\n4,Cy Ray,New York,2026-04-04,no,\n",
	"products.csv":  "sku,product_name,category,unit_price,stock\nA-1,Desk Lamp,Home,30,5\nB-2,Tea Pot,Kitchen,20,0\nC-3,Office Chair,Furniture,200,9\n",
	"orders.csv":    "order_id,customer_id,order_date,shipping_cost,gift\nORD1,1,2025-05-01 10:00:00,5,yes\nORD2,1,2026-05-01 11:00:00,0,yes\nORD3,2,2025-06-01 12:00:00,9,yes\nORD4,3,2026-07-01 13:00:00,5,no\n",
	"order_lines.csv": "line_id,order_id,sku,quantity,line_total\n1,ORD1,A-1,2,60\n2,ORD1,B-2,1,20\n3,ORD2,C-3,1,200\n" +
		"4,ORD3,B-2,5,100\n5,ORD4,A-1,1,30\n6,ORD4,B-2,1,20\n7,ORD4,A-1,1,30\n",
	"sensors.csv":   "sensor_id,location,type\nS-1,Roof,temperature\nS-2,Hall,humidity\nS-3,Roof,humidity\n",
	"readings.csv":  "timestamp,sensor_id,temperature_c,humidity_pct,alarm\n2026-10-01T10:00:00Z,S-1,-7.5,40,1\n2026-10-01T11:00:00Z,S-2,31,85,1\n2026-10-02T10:00:00Z,S-2,20,,0\n2026-10-03T10:00:00Z,S-2,35,30,1\n",
	"journal.csv":   "Entry No,Posting Date,Debit,Credit,Amount\n1,03.01.2026,\"1.200,50\",,\"1.200,50\"\n2,04.01.2026,,\"2.000,00\",\"-2.000,00\"\n3,05.02.2026,\"30,00\",,\"30,00\"\n",
	"invoices.csv":  "Invoice,Due Date,Paid On,Net\nI-1,2026-01-01,2026-01-02,10\nI-2,2026-02-01,,20\n",
	"clientes.csv":  "id_cliente,nombre,ciudad,activo\n1,Ana,Madrid,Sí\n2,Eva,Sevilla,No\n3,Luz,Madrid,Sí\n",
	"empleados.csv": "id,nombre,departamento,antigüedad\n1,Paz,Ventas,10\n2,Sol,Compras,20\n3,Mar,Ventas,40\n",
	"ventas.csv":    "id_venta,id_cliente,fecha,producto,importe,estado\n101,1,2025-10-10,Mesa,500.5,pagado\n102,1,2026-05-06,Silla,20,anulado\n103,2,2026-05-16,Mesa,45000,pagado\n",
}

// What a column of an export holds may take more than one of its values to tell, or its
// heading.
func TestColumnsOfExportsAreWhatTheyHold(t *testing.T) {
	e := open(t, tableexpert.Config{Tables: directory(t, map[string]string{"t.csv": "spanish,american,either,amount,pair,version,zip,phone\n" +
		"21/11/2026,11/21/2026,01/02/2026,\"1.200,50\",\"30,00\",1.10,10115,5551234567\n01/02/2026,1/2/2026,03/04/2026,\"30,00\",\"12,50\",1.9,20095,5551234568\n"})})
	got := sql(t, e, "SELECT spanish, american, either, amount, pair, version, zip, phone FROM t")
	if want := `[["2026-11-21","2026-11-21","01/02/2026",1200.5,"30,00","1.10","10115","5551234567"],["2026-02-01","2026-01-02","03/04/2026",30,"12,50","1.9","20095","5551234568"]]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := sql(t, e, "SELECT typeof(version), typeof(zip), typeof(phone), typeof(amount) FROM t LIMIT 1"); got != `[["text","text","text","real"]]` {
		t.Errorf("got %s", got)
	}
}

// 1.234 is one thousand or a little more than one: the other columns of the file may tell,
// and where they do not, an amount of money that may be either is text.
func TestTheMarkOfTheThousandsIsThatOfTheFile(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"commas before fractions", "total;price\n1.234;12,50\n2.345;3,75\n", `[[1234,12.5],[2345,3.75]]`},
		{"dots before fractions", "total;price\n1,234;12.50\n2,345;3.75\n", `[[1234,12.5],[2345,3.75]]`},
		{"both", "lat;price;rate\n1.234;12,50;0.5\n2.345;3,75;1.5\n", `[[1.234,12.5,0.5],[2.345,3.75,1.5]]`},
		{"nothing tells", "lat,n\n52.520,1\n13.405,2\n", `[[52.52,1],[13.405,2]]`},
		{"money, and nothing tells", "total;n\n€1.234;1\n€5;2\n", `[["€1.234",1],["€5",2]]`},
		{"money, with commas", "total,n\n\"$1,234\",1\n$5,2\n", `[[1234,1],[5,2]]`},
		{"money, and a fraction tells", "total,n\n\"$1,234\",1\n$5.50,2\n", `[[1234,1],[5.5,2]]`},
	} {
		e := open(t, tableexpert.Config{Tables: directory(t, map[string]string{"t.csv": c.file})})
		if got := sql(t, e, "SELECT * FROM t"); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
