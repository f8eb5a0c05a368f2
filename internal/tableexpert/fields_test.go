package tableexpert_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"rialto/internal/tableexpert"
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

// fieldQuestions are questions of those tables, each with the statement of who knows them.
var fieldQuestions = map[string]string{
	"empleados de Ventas":                                             "SELECT * FROM empleados WHERE departamento='Ventas'",
	"average number of antigüedad by departamento":                    "SELECT 'Ventas',25.0 UNION ALL SELECT 'Compras',20.0",
	"clientes que no tienen ventas":                                   "SELECT * FROM clientes WHERE id_cliente=3",
	"ventas hasta mayo de 2026":                                       "SELECT * FROM ventas",
	"ventas mayores de 600":                                           "SELECT * FROM ventas WHERE id_venta=103",
	"las 2 ventas más recientes":                                      "SELECT * FROM ventas ORDER BY fecha DESC LIMIT 2",
	"¿Qué producto tiene el importe medio más alto?":                  "SELECT 'Mesa',22750.25",
	"importe total de Madrid":                                         "SELECT 520.5",
	"how many orders where order date >= 2026-05-01":                  "SELECT 2",
	"how many customers did not order in 2026":                        "SELECT 2",
	"which customers have neither orders nor newsletter":              "SELECT * FROM customers WHERE customer_id=4",
	"employees with termination date":                                 "SELECT * FROM employees WHERE employee_id='E2'",
	"how many employees were terminated each year":                    "SELECT '2026',1",
	"how many employees were born in 1960":                            "SELECT 1",
	"how many employees whose termination date is empty":              "SELECT 3",
	"how many employees whose termination date is not empty":          "SELECT 1",
	"how many employees took vacation in 2025":                        "SELECT 1",
	"most popular product":                                            "SELECT 'A-1','Desk Lamp',3 UNION ALL SELECT 'B-2','Tea Pot',3 UNION ALL SELECT 'C-3','Office Chair',1",
	"average quantity per order line":                                 "SELECT 1.71",
	"total quantity by category and month in 2025":                    "SELECT 'Home','2025-05',2 UNION ALL SELECT 'Kitchen','2025-05',1 UNION ALL SELECT 'Kitchen','2025-06',5",
	"which department has the highest average salary":                 "SELECT 'D1','Engineering',70000.0 WHERE 0 UNION ALL SELECT d.department_id, d.department_name, avg(salary_eur) FROM employees e JOIN departments d USING(department_id) GROUP BY 1 ORDER BY 3 DESC LIMIT 1",
	"which department has the highest salary":                         "SELECT 'D1','Engineering',90000",
	"oldest employee":                                                 "SELECT * FROM employees WHERE employee_id='E3'",
	"youngest employee":                                               "SELECT * FROM employees WHERE employee_id='E4'",
	"how many employees older than 50":                                "SELECT 2",
	"how many employees are older than 65 years":                      "SELECT sum(date_of_birth<'1960-06-16') FROM employees",
	"how many employees without a manager":                            "SELECT 1",
	"how many employees were hired in 2025":                           "SELECT 1",
	"how many employees don't work remotely":                          "SELECT 2",
	"percentage of women":                                             "SELECT 50.0",
	"the 2 most recently hired employees":                             "SELECT * FROM employees ORDER BY hire_date DESC LIMIT 2",
	"how many new customers per year":                                 "SELECT '2024',1 UNION ALL SELECT '2025',1 UNION ALL SELECT '2026',2",
	"city of Ann Fox":                                                 "SELECT 'Berlin'",
	"orders with 3 or more lines":                                     "SELECT * FROM orders WHERE order_id='ORD4'",
	"how many lines of order ORD1":                                    "SELECT 2",
	"top 2 products by quantity":                                      "SELECT 'B-2','Tea Pot',7 UNION ALL SELECT 'A-1','Desk Lamp',4",
	"total quantity by product in 2026":                               "SELECT 'A-1','Desk Lamp',2 UNION ALL SELECT 'B-2','Tea Pot',1 UNION ALL SELECT 'C-3','Office Chair',1",
	"how many products cost more than 25":                             "SELECT 2",
	"products cheaper than 25":                                        "SELECT * FROM products WHERE sku='B-2'",
	"how many customers have not ordered in 2026":                     "SELECT 2",
	"how many customers never ordered a Desk Lamp":                    "SELECT 2",
	"how many customers ordered a Tea Pot":                            "SELECT 3",
	"customers who never had an order":                                "SELECT * FROM customers WHERE customer_id=4",
	"top 1 customers by orders":                                       "SELECT 1,'Ann Lee',2",
	"average orders per customer":                                     "SELECT 1.33",
	"how many orders per customer on average":                         "SELECT 1.33",
	"which sensor has the most alarms":                                "SELECT 'S-2',2",
	"how many readings where temperature is below 0":                  "SELECT 1",
	"how many readings with temperature over 30 and humidity over 80": "SELECT 1",
	"how many readings have no humidity":                              "SELECT 1",
	"how many readings below zero":                                    "SELECT 1",
	"how many readings with temperature below -5":                     "SELECT 1",
	"how many humidity sensors":                                       "SELECT 2",
	"how many readings with temperature between -10 and -5":           "SELECT 1",
	"sum of amount below -1000":                                       "SELECT -2000.0",
	"debit and credit per month":                                      "SELECT '2026-01',1200.5,2000.0 UNION ALL SELECT '2026-02',30.0,NULL",
	"sum of negative amounts":                                         "SELECT -2000.0",
	"unpaid invoices":                                                 "SELECT * FROM invoices WHERE paid_on IS NULL",
	"ventas de más de 40.000 euros":                                   "SELECT * FROM ventas WHERE id_venta=103",
	"ventas entre 10 y 600":                                           "SELECT * FROM ventas WHERE importe BETWEEN 10 AND 600",
	"clientes sin ventas":                                             "SELECT * FROM clientes WHERE id_cliente=3",
	"clientes que no están activos":                                   "SELECT * FROM clientes WHERE activo='No'",
	"clientes inactivos":                                              "SELECT * FROM clientes WHERE activo='No'",
	"importe medio por producto":                                      "SELECT 'Mesa',22750.25 UNION ALL SELECT 'Silla',20.0",
	"importe máximo y mínimo":                                         "SELECT 45000.0,20.0",
	"customers with at least 2 gift orders":                           "SELECT * FROM customers WHERE customer_id=1",
	"customers with orders of a Desk Lamp but not a Tea Pot":          "SELECT * FROM customers WHERE 0",
	"what percentage of customers in Berlin have a nickname":          "SELECT 50.0",
	"customers without gift orders":                                   "SELECT * FROM customers WHERE customer_id IN (3,4)",
	"how many employees are at least 50 years old":                    "SELECT sum(date_of_birth<'1976-06-16') FROM employees",
	"how many employees are over 50 years old":                        "SELECT sum(date_of_birth<'1975-06-16') FROM employees",
	"departments without absences":                                    "SELECT * FROM departments WHERE department_id<>'D1'",
	"plants built before 2000":                                        "SELECT * FROM plants WHERE plant='P1'",
	"ventas del mes pasado":                                           "SELECT * FROM ventas WHERE fecha LIKE '2026-05%'",
	"la venta más grande":                                             "SELECT * FROM ventas WHERE id_venta=103",
	"la última venta":                                                 "SELECT * FROM ventas WHERE id_venta=103",
	"suma del importe de las ventas pagadas":                          "SELECT 45500.5",
	"total de importe por ciudad":                                     "SELECT 'Sevilla',45000.0 UNION ALL SELECT 'Madrid',520.5",
}

func TestQuestionsOfManyFields(t *testing.T) {
	today := func() time.Time { return time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC) }
	e := open(t, tableexpert.Config{Tables: directory(t, fields), Now: today, Timeout: time.Minute})
	for question, statement := range fieldQuestions {
		t.Run(question, func(t *testing.T) {
			got, _ := json.Marshal(answer[rows](t, e, text("query_table_expert", question)).Rows)
			if want := sql(t, e, statement); string(got) != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
		})
	}
}

// What nothing in the tables answers is not answered with something else.
func TestQuestionsOfManyFieldsThatAreNotUnderstood(t *testing.T) {
	e := open(t, tableexpert.Config{Tables: directory(t, fields), Timeout: time.Minute})
	for question, want := range map[string]string{
		"average order value":                       "The question was not understood", // which is not the cost of its shipping
		"largest order":                             "The question was not understood",
		"top 5 customers by revenue":                "The question was not understood",
		"top 3 sensors":                             "The question was not understood",
		"top product by quantity in each category":  "The question was not understood",
		"customers who have only large orders":      "The question was not understood",
		"percentage of shiny orders":                "The question was not understood",
		"customers whose name starts with A":        "The question was not understood",
		"customers called Bo Lee":                   "The question was not understood", // there is a Bo and a Lee
		"how many customers ordered a lamp in 2026": "left out: 2026",
		"how many orders were there in 2025 or":     "left out: or",
	} {
		if got := send(t, e, text("query_table_expert", question)).Status.Message.Text(); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", question, got, want)
		}
	}
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
